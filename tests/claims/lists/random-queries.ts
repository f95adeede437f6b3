import assert from 'node:assert/strict'
import { seeded } from '../../../simulate/random.ts'
import type { Answer, ApiClient } from '../../support/api-client.ts'
import { contractWith } from '../../support/contracts.ts'
import { addManyClaims, clockOf, customerOf, schemaOf } from '../../support/many-claims.ts'
import { newCustomer } from '../../support/new-records.ts'
import { readPage, readPages } from '../../support/read-pages.ts'
import type { TestService } from '../../support/test-service.ts'

/* Lists in any order and with any filters, compared with the records themselves (§4.1). */

type Row = Answer['body']
type Query = Record<string, string | number>

export const LISTS = {
  '/v1/claims': { name: (row: Row): string => row.id, customer: 'customer_id', of: customerOf },
  '/v1/candidates': {
    name: (row: Row): string => row.candidate_alias,
    customer: 'customer_uuid',
    of: (n: number) => `customer-${n}`,
  },
} as const

export const PATHS = ['/v1/claims', '/v1/candidates'] as const

const random = seeded(20261125)
export const day = (ago: number) => new Date(Date.now() - ago * 86_400_000)

function someQuery(customer: string, of: (n: number) => string): Query {
  const query: Query = { order: random.pick(['asc', 'desc']) }
  const maybe = (chance: number, add: () => void) => random.chance(chance) && add()
  maybe(0.5, () => {
    query.sort = random.pick(['created_at', 'due_at', 'status_since'])
  })
  maybe(0.5, () => {
    query.status = random.pick([
      'OPEN',
      'PENDING',
      'FAILED',
      'OPEN,PENDING',
      'CONFIRMED,FAILED',
      'PENDING,OPEN,FAILED',
    ])
  })
  maybe(0.3, () => {
    query[customer] = of(random.pick([0, 13]))
  })
  maybe(0.3, () => {
    query.schema_id = schemaOf(random.pick([0, 1]))
  })
  maybe(0.3, () => {
    if (random.chance(0.5)) query.clock = 'live'
    else query.test_clock_id = clockOf(0)
  })
  const range = random.pick(['created', 'due', 'resolved', '', ''])
  const [from, before] = [random.int(10, 45), random.int(0, 9)]
  if (range === 'due') {
    maybe(0.7, () => Object.assign(query, { due_from: day(-before / 5).toISOString() }))
    maybe(0.7, () => Object.assign(query, { due_before: day(-from - 1).toISOString() }))
  } else if (range) {
    maybe(0.7, () => Object.assign(query, { [`${range}_from`]: day(from).toISOString() }))
    maybe(0.7, () => Object.assign(query, { [`${range}_before`]: day(before).toISOString() }))
  }
  maybe(0.3, () => Object.assign(query, { price_from: random.pick(['0', '0.5', '3.125', '50']) }))
  maybe(0.3, () => Object.assign(query, { price_to: random.pick(['50', '62.5', '999']) }))
  return query
}

/** What the specification says of the query, over all records in the order of their creation. */
export function select(all: readonly Row[], query: Query, customer: string): Row[] {
  const { sort = 'created_at', order = 'asc' } = query
  const text = (name: string) => query[name] as string | undefined
  const statuses = text('status')?.split(',')
  const within = (time: string | null, range: string) =>
    (text(`${range}_from`) === undefined && text(`${range}_before`) === undefined) ||
    (time !== null &&
      (text(`${range}_from`) ?? '') <= time &&
      (text(`${range}_before`) === undefined || time < (text(`${range}_before`) as string)))
  const asks = (range: string) => `${range}_from` in query || `${range}_before` in query
  const isByTime = sort !== 'created_at' || asks('created')
  const isLive =
    query.clock === 'live' || ((isByTime || asks('due') || asks('resolved')) && !query.test_clock_id)
  const isResolved = (row: Row) => row.status === 'CONFIRMED' || row.status === 'FAILED'
  const found = all.filter(
    (row) =>
      (!statuses || statuses.includes(row.status)) &&
      (!(customer in query) || row[customer] === query[customer]) &&
      (!query.schema_id || row.schema_id === query.schema_id) &&
      (!query.test_clock_id || row.test_clock_id === query.test_clock_id) &&
      (!isLive || row.test_clock_id === null) &&
      (sort !== 'due_at' || !isResolved(row)) &&
      within(row.created_at, 'created') &&
      (!asks('due') || (!isResolved(row) && within(row.due_at, 'due'))) &&
      (!asks('resolved') || (isResolved(row) && within(row.status_since, 'resolved'))) &&
      (query.price_from === undefined || row.contract.price >= Number(query.price_from)) &&
      (query.price_to === undefined || row.contract.price <= Number(query.price_to)),
  )
  const ordered = isByTime
    ? found.toSorted((one, other) => (one[sort] < other[sort] ? -1 : one[sort] > other[sort] ? 1 : 0))
    : found
  return order === 'asc' ? ordered : ordered.reverse()
}

/** As many claims as candidates of the client's account. Many share a time, and some are on a test clock. */
export async function addRecords(service: TestService, count: number): Promise<void> {
  const { api, sql } = service
  const { user_id: userId } = (await api.get(`/v1/customers/${(await newCustomer(api)).id}`)).body
  await addManyClaims(service, userId, count, { isAnalysed: false })
  await sql(
    `UPDATE claims SET test_clock_id = CASE WHEN position % 7 = 0 THEN $1::uuid END,
      created_at = date_bin('1 day', created_at, '2000-01-01Z'), status_since = date_bin('1 day', CASE status WHEN 'OPEN' THEN created_at ELSE status_since END, '2000-01-01Z'),
      due_at = date_bin('1 hour', due_at, '2000-01-01Z'), contract = jsonb_set($2::jsonb, '{price}', price::text::jsonb)::json
    WHERE user_id = $3`,
    [clockOf(0), JSON.stringify(contractWith()), userId],
  )
  await sql(
    `INSERT INTO customers (user_id, id, external_id, created_at)
     SELECT $1, ('00000000-0000-7000-9000-' || lpad(to_hex(n), 12, '0'))::uuid, 'customer-' || n, now() FROM generate_series(0, 199) AS n`,
    [userId],
  )
  await sql('INSERT INTO test_clocks (user_id, id, frozen_time, created_at) VALUES ($1, $2, now(), now())', [
    userId,
    clockOf(0),
  ])
}

/** Sends random queries. Each answers what `select` says of all records, in pages of two sizes, with the total. */
export async function compareQueries(
  api: ApiClient,
  path: keyof typeof LISTS,
  all: readonly Row[],
  queries: number,
): Promise<void> {
  const { name, customer, of } = LISTS[path]
  let found = 0
  for (let turn = 0; turn < queries; turn++) {
    const query = someQuery(customer, of)
    // Of equal times the order of creation decides, in either direction.
    const wanted = select(all, query, customer).map(name)
    found += wanted.length
    for (const limit of [random.int(7, 40), 100]) {
      const read = (await readPages(api, path, { ...query, limit })).flat()
      assert.deepEqual(read.map(name), wanted, JSON.stringify({ ...query, limit }))
    }
    const { body } = await readPage(api, path, { ...query, limit: 1, total: 'true' })
    assert.deepEqual(body.total, { count: wanted.length, is_exact: true }, JSON.stringify(query))
  }
  assert.ok(found > 4 * queries, `${found} records were found by ${queries} queries`)
}
