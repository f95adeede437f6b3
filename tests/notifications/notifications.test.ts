import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { ApiClient } from '../support/api-client.ts'
import { assertError } from '../support/assert-error.ts'
import { contractWith } from '../support/contracts.ts'
import { newCandidate, newClaim, newCustomer } from '../support/new-records.ts'
import { readFeed } from '../support/read-pages.ts'
import { sharedWebhookService } from '../support/shared.ts'
import { runScheduledCheck } from '../support/source/decisions.ts'
import { oldNotifications } from '../support/source/webhooks.ts'

const { app, newAccount, sql } = await sharedWebhookService()

const readAll = (api: ApiClient, query: Record<string, string> = {}) => readFeed(api, { limit: 7, ...query })

const typesOf = ({ data }: { data: { type: string; sequence: number }[] }) =>
  data.map(({ type, sequence }) => `${type} ${sequence}`)

describe('GET /v1/notifications', () => {
  test('returns the changes of a claim in the order of sequence, each with the claim at that time (§4.13 rule 2)', async () => {
    const api = await newAccount()
    const claim = await newClaim(api, { activity_window: 3_600, review_window: 60 })
    await api.post(`/v1/claims/${claim.id}/events`, { type: 'seen' })
    await api.post(`/v1/claims/${claim.id}/events`, { type: 'done' })
    const pending = await api.readClaim(claim.id)
    await runScheduledCheck(app, new Date(pending.due_at))
    const confirmed = await api.readClaim(claim.id)

    const { data } = await readAll(api)
    const asListed = ({ events: _, ...rest }: Record<string, unknown>) => rest
    assert.deepEqual(
      data.map(({ type, sequence, claim }) => ({ type, sequence, claim })),
      [
        { type: 'claim.created', sequence: 0, claim: asListed(claim) },
        { type: 'claim.pending', sequence: 2, claim: asListed(pending) },
        { type: 'claim.confirmed', sequence: 3, claim: asListed(confirmed) },
      ],
    )
    assert.equal(new Set(data.map(({ id }) => id)).size, 3)
  })

  test('returns a change once if its first write was refused because another server had changed the claim', async () => {
    const api = await newAccount()
    const { id } = await newClaim(api)
    // Puts the claim into the cache of this server. The cached claim is stale after the SQL below.
    await api.post(`/v1/claims/${id}/events`, { type: 'seen' })
    await sql(
      `INSERT INTO claim_events (claim_id, seq, id, type, payload, system, created_at)
       VALUES ($1, 2, 'of another server', 'seen', '{}', false, clock_timestamp())`,
      [id],
    )
    await sql('UPDATE claims SET event_count = event_count + 1 WHERE id = $1', [id])
    await api.post(`/v1/claims/${id}/events`, { type: 'done' })
    assert.deepEqual(typesOf(await readAll(api)), ['claim.created 0', 'claim.pending 3'])
  })

  test('continues after the cursor of the last page, which has one even at the end (§4.13 rule 1)', async () => {
    const api = await newAccount()
    const nothing = (await api.get('/v1/notifications')).body
    assert.deepEqual([nothing.data, nothing.has_more], [[], false])
    await newClaim(api)
    const first = await readAll(api, { after: nothing.next_cursor })
    assert.deepEqual(typesOf(first), ['claim.created 0'])
    const again = await readAll(api, { after: first.cursor })
    assert.deepEqual([again.data, again.cursor], [[], first.cursor])
    await newCandidate(api)
    assert.deepEqual(typesOf(await readAll(api, { after: first.cursor })), ['candidate.created 0'])
  })

  test('returns an advance of a test clock after all transitions that it made (§4.13 rule 2)', async () => {
    const api = await newAccount()
    const clock = (await api.post('/v1/test_clocks', { frozen_time: '2026-01-01T00:00:00Z' })).body
    const customer = await newCustomer(api)
    await api.post('/v1/candidates', {
      candidate_alias: `on-clock-${customer.id}`,
      customer_uuid: customer.external_id,
      contract: contractWith({ activity_window: 60, review_window: 60, timeout_outcome: 'fail' }),
      test_clock_id: clock.id,
    })
    const frozen_time = '2026-01-02T00:00:00.000Z'
    await api.post(`/v1/test_clocks/${clock.id}/advance`, { frozen_time })
    const { data } = await readAll(api)
    assert.deepEqual(typesOf({ data }), [
      'candidate.created 0',
      'candidate.pending 1',
      'candidate.failed 2',
      'test_clock.advanced 0',
    ])
    assert.equal(data[1].candidate.status_since, '2026-01-01T00:01:00.000Z')
    assert.deepEqual(data[3].test_clock, {
      id: clock.id,
      user_id: clock.user_id,
      name: null,
      frozen_time,
      created_at: clock.created_at,
    })

    await api.delete(`/v1/test_clocks/${clock.id}`)
    assert.deepEqual((await readAll(api)).data, [])
  })

  test('filters by type, claim, candidate and customer, and shows the newest first', async () => {
    const api = await newAccount()
    const [one, other] = [await newClaim(api), await newClaim(api)]
    const candidate = await newCandidate(api)
    await api.post(`/v1/claims/${one.id}/events`, { type: 'done' })
    const all = (await readAll(api)).data
    const ids = (some: { id: string }[]) => some.map(({ id }) => id)
    const by = async (query: Record<string, string>) => typesOf(await readAll(api, query))
    assert.deepEqual(await by({ types: 'claim.pending' }), ['claim.pending 1'])
    assert.deepEqual(await by({ types: 'claim.pending,candidate.created' }), [
      'candidate.created 0',
      'claim.pending 1',
    ])
    assert.deepEqual(await by({ claim_id: one.id.toUpperCase() }), ['claim.created 0', 'claim.pending 1'])
    assert.deepEqual(await by({ candidate_alias: candidate.candidate_alias }), ['candidate.created 0'])
    assert.deepEqual(await by({ customer_id: other.customer_id }), ['claim.created 0'])
    assert.deepEqual(ids((await readAll(api, { order: 'desc' })).data), ids(all).reverse())
  })

  test('returns nothing of another account, and rejects its cursors', async () => {
    const [one, other] = [await newAccount(), await newAccount()]
    const claim = await newClaim(one)
    const { cursor } = await readAll(one)
    assert.deepEqual((await readAll(other, { claim_id: claim.id })).data, [])
    const { status, body } = await other.get(`/v1/notifications?after=${cursor}`)
    assert.equal(status, 400)
    assert.equal(body.error.details[0].path, 'after')
  })

  test('with wait answers when something happens, or when the time is over', async () => {
    const api = await newAccount()
    const { next_cursor } = (await api.get('/v1/notifications')).body
    const waiting = api.get(`/v1/notifications?after=${next_cursor}&wait=30&types=claim.created`)
    await newCandidate(api)
    const claim = await newClaim(api)
    const { body } = await waiting
    assert.deepEqual(
      body.data.map((one: { claim: { id: string } }) => one.claim.id),
      [claim.id],
    )
    const late = await api.get(`/v1/notifications?after=${body.next_cursor}&wait=1`)
    assert.deepEqual([late.body.data, late.body.has_more], [[], false])
  })

  test('answers 410 to a cursor before removed notifications (§4.13 rule 3)', async () => {
    const api = await newAccount()
    const [, second] = [await newClaim(api), await newClaim(api)]
    const start = (await api.get('/v1/notifications?limit=1')).body.next_cursor
    const end = (await readAll(api)).cursor
    const old = oldNotifications(app, 30)
    assert.equal(await old.removeBatches(() => false), 0)
    await sql("UPDATE notifications SET created_at = '2025-01-01' WHERE user_id = $1", [second.user_id])
    await newCandidate(api)
    assert.equal(await old.removeBatches(() => false), 2)
    assertError(await api.get(`/v1/notifications?after=${start}`), 410, 'CURSOR_EXPIRED')
    assert.deepEqual(typesOf(await readAll(api, { after: end })), ['candidate.created 0'])
    assert.deepEqual(typesOf(await readAll(api)), ['candidate.created 0'])
  })

  test('continues from its end after all notifications were removed', async () => {
    const api = await newAccount()
    const claim = await newClaim(api)
    await sql("UPDATE notifications SET created_at = '2025-01-01' WHERE user_id = $1", [claim.user_id])
    assert.equal(await oldNotifications(app, 30).removeBatches(() => false), 1)
    for (const query of ['', '?wait=1', '?order=desc', '?candidate_alias=not-there-yet']) {
      const { body } = await api.get(`/v1/notifications${query}`)
      assert.deepEqual([body.data, body.has_more], [[], false])
      const { status } = await api.get(`/v1/notifications?after=${body.next_cursor}`)
      assert.equal(status, 200, query)
    }
    const { body } = await api.get('/v1/notifications')
    await newCandidate(api)
    assert.deepEqual(typesOf(await readAll(api, { after: body.next_cursor })), ['candidate.created 0'])
  })

  for (const [query, path] of [
    ['types=claim.done', 'types'],
    ['types=', 'types'],
    ['after=nonsense', 'after'],
    ['order=desc&wait=1', 'order'],
    ['wait=31', 'wait'],
    ['claim_id=01934f6e-7d3a-7c1e-9f52-3b8e6d1f0a42&candidate_alias=an-alias-of-it', 'candidate_alias'],
  ]) {
    test(`${query} answers 400 at ${path}`, async () => {
      const { status, body } = await (await newAccount()).get(`/v1/notifications?${query}`)
      assert.equal(status, 400)
      assert.equal(body.error.details[0].path, path)
    })
  }
})
