import { candidateId } from '../../src/claims/claim-ids.ts'
import type { BenchDatabase } from '../bench-database.ts'
import { claimId } from '../load/submissions.ts'
import { AVERAGE_CUSTOMERS, alias, CUSTOMER, customerExternalId, customerId } from './account.ts'
import { CLAIM_SET } from './load-account.ts'

/** One kind of read. Its paths are requested in rotation. */
export interface ReadKind {
  name: string
  paths: string[]
}

type List = 'claims' | 'candidates'

interface Filter {
  name: string
  status?: string
  /** Several customers are used in rotation. */
  customers?: number[]
  /** Records per page. Below 50 where the small table has fewer records, for both tables. */
  limit: number
}

/** Different paths of one kind, so that reads do not hit the same few pages. */
const VARIANTS = 40
const LIMIT = 50

const evenly = (count: number, from: number, to: number): number[] =>
  Array.from({ length: count }, (_, i) => Math.floor(from + ((to - from) * i) / count))

const AVERAGE = evenly(VARIANTS, CUSTOMER.firstAverage, CUSTOMER.firstAverage + AVERAGE_CUSTOMERS)

const filtersOf = (list: List): Filter[] => [
  { name: 'all', limit: LIMIT },
  ...['OPEN', 'PENDING', 'CONFIRMED', 'FAILED'].map((status) => ({ name: status, status, limit: LIMIT })),
  { name: 'large customer', customers: [CUSTOMER.large], limit: LIMIT },
  { name: 'average customer', customers: AVERAGE, limit: list === 'claims' ? 5 : 1 },
  { name: 'small customer', customers: [CUSTOMER.small], limit: LIMIT },
  { name: 'CONFIRMED, large customer', status: 'CONFIRMED', customers: [CUSTOMER.large], limit: LIMIT },
  { name: 'PENDING, large customer', status: 'PENDING', customers: [CUSTOMER.large], limit: LIMIT },
  { name: 'CONFIRMED, small customer', status: 'CONFIRMED', customers: [CUSTOMER.small], limit: LIMIT },
]

/** Every kind of read of an account with a number of claims. */
export async function readKinds(database: BenchDatabase, claims: number): Promise<ReadKind[]> {
  const kinds = [
    { name: 'one claim', paths: evenly(200, 1, claims).map((n) => `/v1/claims/${claimId(CLAIM_SET, n)}`) },
    { name: 'one candidate', paths: evenly(200, 1, claims / 10).map((n) => `/v1/candidates/${alias(n)}`) },
  ]
  for (const list of ['claims', 'candidates'] as const) {
    for (const filter of filtersOf(list)) {
      for (const order of ['asc', 'desc'] as const) {
        kinds.push(...(await pagesOf(database, claims, list, filter, order)))
      }
    }
  }
  return kinds
}

async function pagesOf(
  database: BenchDatabase,
  claims: number,
  list: List,
  filter: Filter,
  order: 'asc' | 'desc',
): Promise<ReadKind[]> {
  const name = `${list}, ${filter.name}, ${order}`
  const queries = (filter.customers ?? [null]).map((customer) => queryOf(list, filter, customer, order))
  const path = (i: number, after?: string) =>
    `/v1/${list}?${queries[i % queries.length]}${after ? `&after=${after}` : ''}`
  const middle = middleCursors(list, claims)
  const pages = [
    { name: `${name}, first page`, paths: queries.map((_, i) => path(i)) },
    { name: `${name}, middle`, paths: middle.map((cursor, i) => path(i, cursor)) },
  ]
  const last = await lastCursor(database, list, filter, order)
  if (last) pages.push({ name: `${name}, near the end`, paths: [path(0, last)] })
  return pages
}

function queryOf(list: List, filter: Filter, customer: number | null, order: string): string {
  const query = new URLSearchParams({ order, limit: `${filter.limit}` })
  if (filter.status) query.set('status', filter.status)
  // Candidates are filtered by the external id of the customer.
  if (customer !== null && list === 'claims') query.set('customer_id', customerId(customer))
  if (customer !== null && list === 'candidates') query.set('customer_uuid', customerExternalId(customer))
  return query.toString()
}

function middleCursors(list: List, claims: number): string[] {
  if (list === 'claims') return evenly(VARIANTS, claims * 0.4, claims * 0.6).map((n) => claimId(CLAIM_SET, n))
  return evenly(VARIANTS, claims * 0.04, claims * 0.06).map((n) => candidateId(alias(n)))
}

/** The record before the last page and ten more records. Null if fewer match, or if customers rotate. */
async function lastCursor(
  { sql }: BenchDatabase,
  list: List,
  { status, customers, limit }: Filter,
  order: 'asc' | 'desc',
): Promise<string | null> {
  if (customers && customers.length > 1) return null
  const { rows } = await sql.query<{ id: string }>(
    `SELECT id FROM claims
     WHERE (candidate_alias IS NULL) = $1 AND ($2::text IS NULL OR status = $2)
       AND ($3::uuid IS NULL OR customer_id = $3)
     ORDER BY position ${order === 'asc' ? 'DESC' : 'ASC'} OFFSET $4 LIMIT 1`,
    [list === 'claims', status ?? null, customers ? customerId(customers[0] as number) : null, limit + 10],
  )
  return rows[0]?.id ?? null
}
