import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, test } from 'node:test'
import type { Answer } from '../../support/api-client.ts'
import { assertError } from '../../support/assert-error.ts'
import { contractWith } from '../../support/contracts.ts'
import { newCustomer, newSchema, uniqueName } from '../../support/new-records.ts'
import { readPage, readPages } from '../../support/read-pages.ts'
import { sharedService } from '../../support/shared.ts'

/* The filters by schema, test clock and beginning, each with each other: what a list answers is what they all match. */

const service = await sharedService()
const { api } = service
const customers = [await newCustomer(api), await newCustomer(api)]
const schemas = [await newSchema(api), await newSchema(api)]
const clock = (await api.post('/v1/test_clocks', { frozen_time: '2026-01-01T00:00:00Z' })).body
const unused = (await api.post('/v1/test_clocks', { frozen_time: '2026-01-01T00:00:00Z' })).body

const claims: Answer['body'][] = []
const candidates: Answer['body'][] = []
for (let n = 0; n < 24; n++) {
  const customer = customers[n % 2] as { id: string; external_id: string }
  const source = n % 3 === 2 ? { contract: contractWith() } : { schema_id: schemas[n % 3].id }
  const rest = { ...source, ...(n % 4 === 0 ? { test_clock_id: clock.id } : {}) }
  const alias = `${['order', 'ORDER', 'ordér', '100%_'][n % 4]}-${uniqueName()}`
  const claim = await api.post('/v1/claims', { customer_id: customer.id, ...rest })
  const candidate = await api.post('/v1/candidates', {
    candidate_alias: alias,
    customer_uuid: customer.external_id,
    ...rest,
  })
  claims.push(claim.body)
  candidates.push(candidate.body)
  if (n % 5 > 0) continue
  await api.post('/v1/events', { claim_id: claim.body.id, type: 'done' })
  await api.post('/v1/events', { candidate_alias: alias, type: 'done' })
  claims[n].status = 'PENDING'
  candidates[n].status = 'PENDING'
}

interface Filter {
  name: string
  value: string
  matches: (row: Answer['body']) => boolean
}
const equals = (name: string, value: string): Filter => ({
  name,
  value,
  matches: (row) => row[name] === value,
})
const begins = (field: string, value: string): Filter => ({
  name: 'search',
  value,
  matches: (row) => row[field].startsWith(value),
})
const COMMON = [
  equals('status', 'PENDING'),
  equals('schema_id', schemas[0].id),
  equals('schema_id', schemas[1].id),
  equals('test_clock_id', clock.id),
]
const LISTS = {
  '/v1/claims': {
    records: claims,
    key: 'id',
    filters: [
      ...COMMON,
      equals('customer_id', customers[1]?.id as string),
      begins('id', claims[3].id.slice(0, 8)),
      begins('id', claims[5].id),
    ],
  },
  '/v1/candidates': {
    records: candidates,
    key: 'candidate_alias',
    filters: [
      ...COMMON,
      equals('customer_uuid', customers[1]?.external_id as string),
      ...['o', 'order-', 'ORDER', 'ordé', '100%_', '1', candidates[7].candidate_alias].map((text) =>
        begins('candidate_alias', text),
      ),
    ],
  },
}

for (const [path, { records, key, filters }] of Object.entries(LISTS)) {
  const keysOf = (rows: Answer['body'][]) => rows.map((row) => row[key])
  const read = async (query: Record<string, string | number>) =>
    keysOf((await readPages(api, path, query)).flat())

  describe(`GET ${path}`, () => {
    for (const one of filters) {
      test(`${one.name}=${one.value}, alone and with each other filter, answers what matches`, async () => {
        for (const other of filters.filter((another) => another === one || one.name < another.name)) {
          const wanted = keysOf(records.filter((row) => one.matches(row) && other.matches(row)))
          const query = { [one.name]: one.value, [other.name]: other.value }
          const message = JSON.stringify(query)
          assert.deepEqual(await read({ ...query, limit: 2 }), wanted, message)
          assert.deepEqual(await read({ ...query, limit: 3, order: 'desc' }), wanted.toReversed(), message)
        }
      })
    }

    test('an unknown schema, and a clock with nothing on it, have an empty list', async () => {
      for (const query of [{ schema_id: randomUUID() }, { test_clock_id: unused.id }]) {
        assert.deepEqual((await readPage(api, path, query)).body, { data: [], next_cursor: null })
      }
    })

    for (const [name, value] of [
      ['schema_id', 'x'],
      ['test_clock_id', ''],
      ['search', ''],
    ] as const) {
      test(`${name}=${value} answers 400 at ${name}`, async () => {
        assertError(await api.get(`${path}?${name}=${value}`), 400, 'VALIDATION_ERROR', name)
        assertError(await api.get(`${path}/export?${name}=${value}`), 400, 'VALIDATION_ERROR', name)
      })
    }
  })
}

describe('search', () => {
  const { id } = claims[4]
  test('finds a claim by the beginning of its id in any case, with its dashes or without any', async () => {
    const bare = id.replaceAll('-', '')
    for (const text of [id, id.toUpperCase(), bare, bare.slice(0, 31), id.slice(0, 24), id.slice(0, 35)]) {
      const { body } = await readPage(api, '/v1/claims', { search: text })
      assert.deepEqual(
        body.data.map((row: { id: string }) => row.id),
        [id],
        text,
      )
    }
    const { body } = await readPage(api, '/v1/claims', { search: 'ffffffff' })
    assert.deepEqual(body, { data: [], next_cursor: null })
  })

  test('finds a claim by its id as it is shortened in lists', async () => {
    for (const text of [
      `${id.slice(0, 8)}…${id.slice(-6)}`,
      `${id.slice(0, 8)}...${id.slice(-6).toUpperCase()}`,
    ]) {
      const { body } = await readPage(api, '/v1/claims', { search: text })
      assert.deepEqual(
        body.data.map((row: { id: string }) => row.id),
        [id],
      )
    }
    const others = await readPage(api, '/v1/claims', { search: `${id.slice(0, 8)}…000000`, status: 'OPEN' })
    assert.deepEqual(others.body.data, [])
  })

  test('answers 400 where it is no beginning of an id', async () => {
    for (const text of [
      `${id.slice(0, 7)}…${id.slice(-6)}`,
      `${id.slice(0, 8)}…`,
      `${id.slice(0, 8)}…${id.slice(-13)}`,
      id.slice(0, 7),
      `${id}0`,
      `${id.slice(0, 4)}-${id.slice(4, 8)}`,
      'not-an-id',
      '--------',
    ])
      assertError(await readPage(api, '/v1/claims', { search: text }), 400, 'VALIDATION_ERROR', 'search')
  })

  test('finds a candidate by any beginning of its alias, whatever its characters', async () => {
    const odd = ["';--", '\\%_', '😀', '\u{10ffff}\u{10ffff}', '퟿', ' ', '__proto__']
    const customer = customers[0]?.external_id as string
    for (const beginning of odd) {
      const candidate_alias = `${beginning}-${uniqueName()}`
      const created = await api.post('/v1/candidates', {
        candidate_alias,
        customer_uuid: customer,
        contract: contractWith(),
      })
      assert.equal(created.status, 201)
      for (const text of [beginning, candidate_alias]) {
        const { body } = await readPage(api, '/v1/candidates', { search: text })
        assert.deepEqual(
          body.data.map((row: Answer['body']) => row.candidate_alias),
          [candidate_alias],
        )
      }
    }
  })
})
