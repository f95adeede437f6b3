import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, test } from 'node:test'
import type { Answer, ApiClient } from '../../support/api-client.ts'
import { assertError, assertUnavailable } from '../../support/assert-error.ts'
import { contractWith } from '../../support/contracts.ts'
import { eventually } from '../../support/eventually.ts'
import { holdReads } from '../../support/held-rows.ts'
import { newCandidate, newClaim, newCustomer } from '../../support/new-records.ts'
import { readPage, readPages } from '../../support/read-pages.ts'
import { sharedService } from '../../support/shared.ts'
import { candidateId } from '../../support/source/claims.ts'
import { forgetExpired } from '../../support/source/service.ts'
import { startTestService } from '../../support/test-service.ts'

const service = await sharedService()

type Row = Answer['body']
const withoutEvents = ({ events: _, ...rest }: Row) => rest

/** Each list with pages: its records, and the cursor that names one. */
const LISTS = {
  '/v1/claims': {
    create: (api: ApiClient, customer: Row) => api.claim(customer.id, contractWith()),
    listed: withoutEvents,
    cursorOf: (row: Row) => row.id,
  },
  '/v1/candidates': {
    create: (api: ApiClient, customer: Row) => newCandidate(api, { customer }),
    listed: withoutEvents,
    cursorOf: (row: Row) => candidateId(row.candidate_alias),
  },
  '/v1/customers': { create: newCustomer, listed: (row: Row) => row, cursorOf: (row: Row) => row.id },
}

/** 101 records in an account of its own for each list; made once, read by all tests. */
const prepared = await Promise.all(
  Object.entries(LISTS).map(async ([path, { create, listed, cursorOf }]) => {
    const api = await service.newAccount()
    const rows: Row[] = []
    // The first customer is one of the list's records, or the customer of all.
    const customer = await newCustomer(api)
    if (path === '/v1/customers') rows.push(customer)
    while (rows.length < 101) rows.push(listed(await create(api, customer)))
    return { path, api, rows, cursorOf }
  }),
)

for (const { path, api, rows, cursorOf } of prepared) {
  describe(`GET ${path}`, () => {
    test('answers {data, next_cursor}, oldest first, 50 records, without events (§4)', async () => {
      const { status, body } = await api.get(path)
      assert.equal(status, 200)
      assert.deepEqual(Object.keys(body), ['data', 'next_cursor'])
      assert.deepEqual(body, { data: rows.slice(0, 50), next_cursor: cursorOf(rows[49]) })
    })

    test('follows next_cursor to the end, whatever the limit; it is null exactly there', async () => {
      for (const [limit, sizes] of [
        [100, [100, 1]],
        [50, [50, 50, 1]],
        [34, [34, 34, 33]],
        [9, [...Array(11).fill(9), 2]],
      ] as const) {
        const pages = await readPages(api, path, { limit })
        assert.deepEqual(
          pages.map((page) => page.length),
          sizes,
        )
        assert.deepEqual(pages.flat(), rows)
      }
    })

    test('next_cursor is null where the rest is exactly as long as the limit', async () => {
      const rest = await readPage(api, path, { after: cursorOf(rows[90]), limit: 10 })
      assert.deepEqual(rest.body, { data: rows.slice(91), next_cursor: null })
      const oneLess = await readPage(api, path, { after: cursorOf(rows[90]), limit: 9 })
      assert.deepEqual(oneLess.body, { data: rows.slice(91, 100), next_cursor: cursorOf(rows[99]) })
    })

    test('the page after the last record is empty', async () => {
      const { body } = await readPage(api, path, { after: cursorOf(rows[100]) })
      assert.deepEqual(body, { data: [], next_cursor: null })
    })

    test('order=desc answers newest first, order=asc is the default', async () => {
      const pages = await readPages(api, path, { order: 'desc', limit: 40 })
      assert.deepEqual(pages.flat(), rows.toReversed())
      const before = await readPage(api, path, { order: 'desc', after: cursorOf(rows[2]) })
      assert.deepEqual(before.body, { data: [rows[1], rows[0]], next_cursor: null })
      assert.deepEqual((await readPage(api, path, { order: 'asc' })).body, (await api.get(path)).body)
    })

    test('a cursor is taken in upper case', async () => {
      const { body } = await readPage(api, path, { after: cursorOf(rows[99]).toUpperCase() })
      assert.deepEqual(body.data, [rows[100]])
    })

    test('an account without records has an empty list', async () => {
      const { body } = await (await service.newAccount()).get(path)
      assert.deepEqual(body, { data: [], next_cursor: null })
    })

    test('a parameter that is wrong, unknown or repeated answers 400 at its name (§8)', async () => {
      const limits = ['0', '-1', '101', '1.5', 'abc', '', '1e9', 'null'].map((limit) => ['limit', limit])
      const orders = ['ASC', 'newest', ''].map((order) => ['order', order])
      const unknown = ['page', 'Limit', 'events', '__proto__', 'constructor'].map((name) => [name, '1'])
      for (const [name = '', value] of [...limits, ...orders, ...unknown])
        assertError(await api.get(`${path}?${name}=${value}`), 400, 'VALIDATION_ERROR', name)
      for (const [name = '', value] of [
        ['limit', '5'],
        ['order', 'asc'],
        ['after', cursorOf(rows[3])],
      ])
        assertError(await api.get(`${path}?${name}=${value}&${name}=${value}`), 400, 'VALIDATION_ERROR', name)
    })

    test('an `after` that names nothing, or another kind of record, answers 400 at after', async () => {
      const schema = await api.post('/v1/schemas', { contract: contractWith() })
      for (const name of ['', randomUUID(), 'not-a-cursor', 'x'.repeat(256), schema.body.id]) {
        assertError(await readPage(api, path, { after: name }), 400, 'VALIDATION_ERROR', 'after')
      }
    })
  })
}

describe('GET /v1/candidates: after takes an alias as well (§4.2)', () => {
  test('an alias continues after its candidate', async () => {
    const api = await service.newAccount()
    const rows: Row[] = []
    for (let i = 0; i < 3; i++) rows.push(withoutEvents(await newCandidate(api)))
    const { body } = await readPage(api, '/v1/candidates', { after: rows[0].candidate_alias })
    assert.deepEqual(body, { data: rows.slice(1), next_cursor: null })
  })

  test('an alias that looks like a UUID is taken as a cursor first, then as an alias', async () => {
    const api = await service.newAccount()
    const first = await newCandidate(api)
    const likeCursor = await newCandidate(api, { alias: candidateId(first.candidate_alias) })
    const likeUuid = await newCandidate(api, { alias: randomUUID() })
    const last = await newCandidate(api)
    const aliasesAfter = async (name: string) =>
      (await readPage(api, '/v1/candidates', { after: name })).body.data.map(
        (row: Row) => row.candidate_alias,
      )
    const everyOneAfterFirst = [likeCursor, likeUuid, last].map((row) => row.candidate_alias)
    assert.deepEqual(await aliasesAfter(likeCursor.candidate_alias), everyOneAfterFirst)
    assert.deepEqual(await aliasesAfter(likeUuid.candidate_alias), [last.candidate_alias])
  })

  test('a claim’s id is no cursor among the candidates, nor the other way round', async () => {
    const api = await service.newAccount()
    const claim = await newClaim(api)
    const { candidate_alias } = await newCandidate(api)
    const wrong = await readPage(api, '/v1/candidates', { after: claim.id })
    assertError(wrong, 400, 'VALIDATION_ERROR', 'after')
    const other = await readPage(api, '/v1/claims', { after: candidateId(candidate_alias) })
    assertError(other, 400, 'VALIDATION_ERROR', 'after')
  })
})

test('a list whose statement exceeds the statement timeout answers 503 UNAVAILABLE', async (t) => {
  const { databaseUrl } = service
  const hasty = await startTestService(t, { databaseUrl, statementTimeoutMs: 1_000, withoutAccount: true })
  const api = hasty.clientWith(service.api.token)
  const held = await holdReads(t, databaseUrl)
  const paths = ['/v1/claims', '/v1/candidates?sort=due_at']
  for (const answer of await Promise.all(paths.map((path) => api.get(path)))) assertUnavailable(answer)
  await held.release()
  // On a busy machine a statement may take a second without a lock.
  for (const path of paths) await eventually(async () => (await api.get(path)).status === 200)
})

test('a long contract is in the lists as in the claim', async () => {
  const api = await service.newAccount()
  const match = Object.fromEntries(Array.from({ length: 500 }, (_, i) => [`a-key-of-some-length-${i}`, i]))
  const claim = await newClaim(api, { fulfillment_condition: { event: 'goal', match } })
  const { body } = await api.get('/v1/claims')
  assert.deepEqual(body.data, [withoutEvents(await api.readClaim(claim.id))])
  assert.deepEqual(body.data[0].contract, claim.contract)
})

describe('a record that was deleted with its test clock', () => {
  const FROZEN = { frozen_time: '2026-01-01T00:00:00Z' }
  const newClock = async (api: ApiClient): Promise<string> =>
    (await api.post('/v1/test_clocks', FROZEN)).body.id
  const ON_CLOCKS = {
    '/v1/claims': async (api: ApiClient, customer: Row, clock: string | null) =>
      (await newOf(api, '/v1/claims', { customer_id: customer.id }, clock)).id,
    '/v1/candidates': async (api: ApiClient, customer: Row, clock: string | null) =>
      (
        await newOf(
          api,
          '/v1/candidates',
          { customer_uuid: customer.external_id, candidate_alias: `alias-${randomUUID()}` },
          clock,
        )
      ).candidate_alias,
  }
  const newOf = async (api: ApiClient, path: string, fields: object, clock: string | null): Promise<Row> => {
    const onClock = clock === null ? {} : { test_clock_id: clock }
    const { status, body } = await api.post(path, { contract: contractWith(), ...fields, ...onClock })
    assert.equal(status, 201)
    return body
  }
  const namesIn = ({ body }: Answer): string[] =>
    body.data.map(({ id, candidate_alias }: Row) => candidate_alias ?? id)

  for (const [path, create] of Object.entries(ON_CLOCKS))
    test(`is a valid cursor of ${path} in each order and with filters, but not for another account (§4)`, async () => {
      const [api, other] = [await service.newAccount(), await service.newAccount()]
      const customer = await newCustomer(api)
      const clock = await newClock(api)
      const names: string[] = []
      for (const on of [null, clock, null]) names.push(await create(api, customer, on))
      const first = await api.get(`${path}?limit=2`)
      const queries = [`after=${first.body.next_cursor}`, `after=${first.body.next_cursor}&status=OPEN`]
      if (path === '/v1/candidates') queries.push(`after=${names[1]}`)
      assert.equal((await api.delete(`/v1/test_clocks/${clock}`)).status, 204)
      for (const query of queries) {
        assert.deepEqual(namesIn(await api.get(`${path}?${query}`)), [names[2]], query)
        assert.deepEqual(namesIn(await api.get(`${path}?${query}&order=desc`)), [names[0]], query)
        assertError(await other.get(`${path}?${query}`), 400, 'VALIDATION_ERROR', 'after')
      }
      const [kind] = Object.keys(ON_CLOCKS).filter((one) => one !== path)
      const elsewhere = await api.get(`${kind}?after=${first.body.next_cursor}`)
      assertError(elsewhere, 400, 'VALIDATION_ERROR', 'after')
    })

  test('is a valid cursor in an order by time', async () => {
    const api = await service.newAccount()
    const customer = await newCustomer(api)
    const clock = await newClock(api)
    const names: string[] = []
    for (let i = 0; i < 3; i++) names.push(await ON_CLOCKS['/v1/claims'](api, customer, null))
    const onClock = await ON_CLOCKS['/v1/claims'](api, customer, clock)
    const { created_at } = await api.readClaim(names[2] as string)
    assert.equal((await api.delete(`/v1/test_clocks/${clock}`)).status, 204)
    const after = `${created_at}_${onClock}`
    const { body } = await api.get(`/v1/claims?created_from=2026-01-01T00:00:00Z&after=${after}&order=desc`)
    assert.ok(body.data.map(({ id }: Row) => id).includes(names[2]))
  })

  test('clocks can be deleted page by page', async () => {
    const api = await service.newAccount()
    for (let i = 0; i < 5; i++) await newClock(api)
    let deleted = 0
    for (let after = ''; ; ) {
      const { status, body } = await api.get(`/v1/test_clocks?limit=2${after}`)
      assert.equal(status, 200)
      for (const { id } of body.data) {
        await api.delete(`/v1/test_clocks/${id}`)
        deleted++
      }
      if (body.next_cursor === null) break
      after = `&after=${body.next_cursor}`
    }
    assert.equal(deleted, 5)
  })

  test('is an unknown cursor after 7 days', async () => {
    const api = await service.newAccount()
    const clock = await newClock(api)
    await api.delete(`/v1/test_clocks/${clock}`)
    const list = () => api.get(`/v1/test_clocks?after=${clock}`)
    const age = (interval: string) =>
      service.sql('UPDATE deleted_positions SET deleted_at = now() - $2::interval WHERE id = $1', [
        clock,
        interval,
      ])
    await age('6 days 23 hours')
    await forgetExpired(service.app)
    assert.equal((await list()).status, 200)
    await age('7 days')
    await forgetExpired(service.app)
    assertError(await list(), 400, 'VALIDATION_ERROR', 'after')
  })
})
