import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, test } from 'node:test'
import type { Answer } from '../../support/api-client.ts'
import { assertError } from '../../support/assert-error.ts'
import { firstCheckFrom, secondsAfter } from '../../support/check-time.ts'
import { contractWith } from '../../support/contracts.ts'
import { newCustomer, uniqueName } from '../../support/new-records.ts'
import { readPage, readPages } from '../../support/read-pages.ts'
import { sharedService } from '../../support/shared.ts'
import { runScheduledCheck } from '../../support/source/decisions.ts'

const service = await sharedService()
const api = await service.newAccount()

const STATUSES = ['OPEN', 'PENDING', 'CONFIRMED', 'FAILED']
const customers = [await newCustomer(api), await newCustomer(api)]
const nobody = await newCustomer(api)

/** Two records of each status for each customer, by turns, of both kinds; made once, read by all tests. */
const claims: Answer['body'][] = []
const candidates: Answer['body'][] = []
for (let turn = 0; turn < 2; turn++) {
  for (const status of STATUSES) {
    for (const { id, external_id } of customers) {
      const contract = contractWith({
        activity_window: status === 'FAILED' ? 1 : 1e9,
        review_window: status === 'PENDING' ? 1e9 : 1,
      })
      const claim = await api.claim(id, contract)
      const body = { candidate_alias: uniqueName(), customer_uuid: external_id, contract }
      const { candidate_alias } = (await api.post('/v1/candidates', body)).body
      claims.push({ id: claim.id, customer_id: id, status })
      candidates.push({ candidate_alias, customer_uuid: external_id, status })
      if (status !== 'PENDING' && status !== 'CONFIRMED') continue
      await api.post('/v1/events', { claim_id: claim.id, type: 'done' })
      await api.post('/v1/events', { candidate_alias, type: 'done' })
    }
  }
}
const soon = new Date(Date.now() + 10_000).toISOString()
await runScheduledCheck(service.app, firstCheckFrom(soon))
await runScheduledCheck(service.app, firstCheckFrom(secondsAfter(soon, 120)))

const LISTS = {
  '/v1/claims': { records: claims, customer: 'customer_id' },
  '/v1/candidates': { records: candidates, customer: 'customer_uuid' },
} as const

for (const [path, { records, customer }] of Object.entries(LISTS)) {
  const nameOf = (n: 0 | 1) => records[n][customer]
  /** The fields of the records that the tests compare. */
  const read = async (query: Record<string, string | number>) => {
    const rows = (await readPages(api, path, query)).flat()
    return rows.map((row) => Object.fromEntries(Object.keys(records[0]).map((key) => [key, row[key]])))
  }

  describe(`GET ${path}`, () => {
    for (const status of STATUSES) {
      test(`status=${status} answers the records in this status, in the list’s order`, async () => {
        const wanted = records.filter((row) => row.status === status)
        assert.equal(wanted.length, 4)
        assert.deepEqual(await read({ status, limit: 1 }), wanted)
        assert.deepEqual(await read({ status, limit: 3, order: 'desc' }), wanted.toReversed())
      })
    }

    test(`${customer} answers the records of this customer`, async () => {
      const wanted = records.filter((row) => row[customer] === nameOf(1))
      assert.equal(wanted.length, 8)
      assert.deepEqual(await read({ [customer]: nameOf(1) }), wanted)
      assert.deepEqual(await read({ [customer]: nameOf(1), limit: 3 }), wanted)
      assert.deepEqual(await read({ [customer]: nameOf(1), order: 'desc' }), wanted.toReversed())
    })

    test(`status and ${customer} together answer the records that have both`, async () => {
      const wanted = records.filter((row) => row[customer] === nameOf(0) && row.status === 'FAILED')
      assert.equal(wanted.length, 2)
      assert.deepEqual(await read({ [customer]: nameOf(0), status: 'FAILED' }), wanted)
      assert.deepEqual(await read({ [customer]: nameOf(0), status: 'FAILED', limit: 1 }), wanted)
    })

    test('next_cursor is null where the filtered records end, though others follow', async () => {
      const { body } = await readPage(api, path, { [customer]: nameOf(0), status: 'OPEN', limit: 2 })
      assert.deepEqual([body.data.length, body.next_cursor], [2, null])
    })

    test('a customer without records, and one that does not exist, has an empty list', async () => {
      const unknown = customer === 'customer_id' ? randomUUID() : uniqueName()
      const idle = customer === 'customer_id' ? nobody.id : nobody.external_id
      for (const name of [unknown, idle]) {
        assert.deepEqual((await readPage(api, path, { [customer]: name })).body, {
          data: [],
          next_cursor: null,
        })
      }
    })

    for (const status of ['open', 'DONE', '']) {
      test(`status=${status} answers 400 at status`, async () => {
        assertError(await api.get(`${path}?status=${status}`), 400, 'VALIDATION_ERROR', 'status')
      })
    }

    test(`a repeated filter answers 400`, async () => {
      const twice = `${path}?status=OPEN&status=FAILED`
      assertError(await api.get(twice), 400, 'VALIDATION_ERROR', 'status')
      const name = nameOf(0)
      const answer = await api.get(`${path}?${customer}=${name}&${customer}=${name}`)
      assertError(answer, 400, 'VALIDATION_ERROR', customer)
    })
  })
}

describe('names in filters', () => {
  test('customer_id is taken in upper case, and answers 400 where it is no UUID', async () => {
    const upper = await readPage(api, '/v1/claims', { customer_id: customers[0]?.id.toUpperCase() ?? '' })
    assert.equal(upper.body.data.length, 8)
    assertError(await api.get('/v1/claims?customer_id=acme'), 400, 'VALIDATION_ERROR', 'customer_id')
  })

  test('each list knows only its own filter', async () => {
    const { id, external_id } = customers[0] as { id: string; external_id: string }
    const answers = {
      customer_uuid: await readPage(api, '/v1/claims', { customer_uuid: external_id }),
      customer_id: await readPage(api, '/v1/candidates', { customer_id: id }),
      status: await readPage(api, '/v1/customers', { status: 'OPEN' }),
    }
    for (const [name, answer] of Object.entries(answers)) {
      assertError(answer, 400, 'VALIDATION_ERROR', name)
    }
  })

  test('customers are found by external_id, exactly', async () => {
    const customer = customers[1] as { external_id: string }
    const found = await readPage(api, '/v1/customers', { external_id: customer.external_id })
    assert.deepEqual(found.body, { data: [customer], next_cursor: null })
    for (const name of [customer.external_id.toUpperCase(), '%', customer.external_id.slice(0, -1)]) {
      const none = await readPage(api, '/v1/customers', { external_id: name })
      assert.deepEqual(none.body, { data: [], next_cursor: null })
    }
  })

  test('a filter takes an external_id of any characters', async () => {
    for (const name of [`'; DROP TABLE customers; --`, 'a&b=c?d#e%25', '漢字 😀', '__proto__', ' ']) {
      const { body } = await api.post('/v1/customers', { external_id: name })
      const found = await readPage(api, '/v1/customers', { external_id: name })
      assert.deepEqual(found.body.data, [body])
    }
  })

  test('GET /v1/schemas takes no parameters (§4.4)', async () => {
    for (const name of ['limit', 'after', 'order', 'x']) {
      assertError(await api.get(`/v1/schemas?${name}=1`), 400, 'VALIDATION_ERROR', name)
    }
  })
})
