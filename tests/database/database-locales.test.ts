import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { inAMinute } from '../support/check-time.ts'
import { contractWith } from '../support/contracts.ts'
import { newClock, newCustomer } from '../support/new-records.ts'
import { readFeed, readPages } from '../support/read-pages.ts'
import { createToken, createUser } from '../support/source/accounts.ts'
import { runScheduledCheck } from '../support/source/decisions.ts'
import { createTestDatabase } from '../support/test-database.ts'
import { startTestService } from '../support/test-service.ts'

/* Comparison, order and case folding of text are the same in a database of any language. */

const LOCALES = {
  // The lower case of I is ı.
  Turkish: "LOCALE_PROVIDER icu ICU_LOCALE 'tr' LOCALE 'C'",
  // It folds and sorts only ASCII.
  C: "LOCALE_PROVIDER libc LOCALE 'C'",
}

for (const [language, locale] of Object.entries(LOCALES))
  describe(`a database of the locale ${language}`, async () => {
    const databaseUrl = await createTestDatabase({ after }, { migrated: true, locale })
    const { api, app, clientWith } = await startTestService({ after }, { databaseUrl })
    const { id: customer } = await newCustomer(api)

    test('resolves claims by events, by scheduled checks and by test clocks, and stores a notification of each change', async () => {
      const open = (more: object) =>
        api.post('/v1/claims', {
          customer_id: customer,
          contract: contractWith({ activity_window: 1, review_window: 1 }),
          ...more,
        })
      const { body: decided } = await open({})
      assert.equal((await api.post(`/v1/claims/${decided.id}/events`, { type: 'done' })).status, 201)
      assert.equal((await api.readClaim(decided.id)).status, 'PENDING')
      const { body: overdue } = await open({})
      const check = inAMinute()
      await runScheduledCheck(app, check)
      await runScheduledCheck(app, new Date(check.getTime() + 60_000))

      const clock = await newClock(api)
      const { body: onClock } = await open({ test_clock_id: clock })
      const advance = { frozen_time: '2026-02-01T00:00:00Z' }
      assert.equal((await api.post(`/v1/test_clocks/${clock}/advance`, advance)).status, 200)

      const ids = [decided, overdue, onClock].map(({ id }) => id)
      const read = await Promise.all(ids.map((id) => api.readClaim(id)))
      assert.deepEqual(
        read.map(({ status }) => status),
        ['CONFIRMED', 'FAILED', 'FAILED'],
      )
      const { data } = await readFeed(api, {})
      assert.deepEqual(
        ids.map((id) => data.filter(({ claim }) => claim?.id === id).map(({ type }) => type)),
        ['confirmed', 'failed', 'failed'].map((end) => ['claim.created', 'claim.pending', `claim.${end}`]),
      )
    })

    test('finds customers in any letter case (§4.5)', async () => {
      const names = ['ISIK INC', 'Ilik', 'Ärzte GmbH', 'ИВАНОВ И КО', 'İstanbul']
      for (const external_id of names) await api.post('/v1/customers', { external_id })
      const found = async (search: string) =>
        (await readPages(api, '/v1/customers', { search })).flat().map(({ external_id }) => external_id)
      assert.deepEqual(await found('i'), ['ISIK INC', 'Ilik'])
      assert.deepEqual(await found('isik i'), ['ISIK INC'])
      assert.deepEqual(await found('äRZTE'), ['Ärzte GmbH'])
      assert.deepEqual(await found('иваноВ'), ['ИВАНОВ И КО'])
      assert.deepEqual(await found('İS'), ['İstanbul'])
    })

    test('finds an account by its email, and a time zone by its name, in any letter case (§4.11)', async () => {
      const { email } = await createUser(app, 'INFO@Example.COM')
      assert.equal(email, 'info@example.com')
      await assert.rejects(createUser(app, 'Info@EXAMPLE.com'), /exists already/)
      const token = await createToken(app, { email: 'iNFO@example.COM', name: 'test', expiresAt: null })
      const me = await clientWith(token).patch('/v1/me', { time_zone: 'EUROPE/ISTANBUL' })
      assert.equal(me.body.time_zone, 'Europe/Istanbul')
    })

    test('lists aliases by their beginning, letter case included (§4.3)', async () => {
      const { body } = await api.get(`/v1/customers/${customer}`)
      for (const candidate_alias of ['INVOICE-1', 'invoice-1', 'invoıce-1', 'Invoice-1'])
        await api.post('/v1/candidates', {
          candidate_alias,
          customer_uuid: body.external_id,
          contract: contractWith(),
        })
      const aliases = async (search: string) =>
        (await readPages(api, '/v1/candidates', { search }))
          .flat()
          .map(({ candidate_alias }) => candidate_alias)
      assert.deepEqual(await aliases('INVOI'), ['INVOICE-1'])
      assert.deepEqual(await aliases('invoi'), ['invoice-1'])
    })
  })
