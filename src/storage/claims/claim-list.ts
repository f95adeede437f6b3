import type { Claim, ClaimAddress, ExportedClaim, WithContract } from '../../domain/claims/claim.ts'
import { STATUSES, type Status } from '../../domain/claims/lifecycle.ts'
import type { Connection } from '../database/connection.ts'
import { IS_FRESH, type ListedRow, type Page, readPage } from '../lists/list-page.ts'
import { ListQuery } from '../lists/list-query.ts'
import { findBroadSpan, type SearchRange, type SearchSpan, whereInRange } from './claim-search.ts'
import {
  CLAIM_COLUMNS_IF_SHORT,
  CLAIM_COLUMNS_WITH_HASH,
  type ClaimFactsRow,
  type ClaimRow,
  toClaim,
  toClaimFacts,
} from './claims.ts'
import { CONTRACT, contractIsMissing } from './contracts.ts'

/** Which claims, or which candidates. */
export interface ClaimSelection {
  userId: string
  kind: ClaimAddress['kind']
  status: Status | undefined
  customerId: string | undefined
  schemaId: string | undefined
  testClockId: string | undefined
  search: SearchRange | null
}

export interface ClaimFilter extends ClaimSelection {
  /** Position of the record to continue after. */
  after: string | null
  order: 'asc' | 'desc'
  limit: number
}

/** A claim in a list, its contract as JSON; null if that is long, so that a page has half a megabyte at most. */
export type ListedClaim = WithContract<Claim, string | null>

/** A page of the account's claims, or of its candidates, in the order of creation. */
export async function listClaims(db: Connection, filter: ClaimFilter): Promise<Page<ListedClaim>> {
  const { rows, hasMore } = await readClaimPage<WithContract<ClaimRow, string | null>>(
    db,
    filter,
    CLAIM_COLUMNS_WITH_HASH,
    // Asked of the page alone.
    CLAIM_COLUMNS_IF_SHORT,
  )
  return { rows: rows.map(toClaim), hasMore }
}

/** The contracts of these claims as JSON, by the claims' ids. @throws UNAVAILABLE if one is missing */
export async function readContracts(db: Connection, ids: readonly string[]): Promise<Map<string, string>> {
  const rows = await db.query<{ id: string; contract: string | null }>({
    name: 'read_contracts',
    text: `-- read_contracts
      SELECT id, ${CONTRACT}::text AS contract FROM claims WHERE id = ANY ($1)`,
    values: [ids],
    readOnly: true,
  })
  return new Map(
    rows.map(({ id, contract }) => {
      if (contract === null) throw contractIsMissing()
      return [id, contract]
    }),
  )
}

interface ExportedRow extends ClaimFactsRow {
  position: string
  price: string
}

const EXPORTED_COLUMNS = `id, reference, candidate_alias, customer_id, customer_external_id, status, scheduled_outcome, price,
  status_since, due_at, schema_id, test_clock_id, created_at`

/** The same page, for an export. Each with its position, after which the next page begins. */
export async function listExportedClaims(
  db: Connection,
  filter: ClaimFilter,
): Promise<Page<ExportedClaim & { position: string }>> {
  const { rows, hasMore } = await readClaimPage<ExportedRow>(db, filter, EXPORTED_COLUMNS, EXPORTED_COLUMNS)
  const claims = rows.map((row) => ({ ...toClaimFacts(row), price: row.price, position: row.position }))
  return { rows: claims, hasMore }
}

/** @param shown columns as the page's records show them */
async function readClaimPage<Row>(db: Connection, filter: ClaimFilter, columns: string, shown: string) {
  const span = await findSpanToWalk(db, filter)
  const list = { name: 'claims', userId: filter.userId } as const
  return readPage(db, list, filter, (count, upTo) => {
    const query = conditionsOf(filter, upTo)
    if (span) query.where('position', '>=', span.from).where('position', '<=', span.to)
    const { isOn } = db.distribution
    const page =
      filter.search && !span
        ? searchStatement(filter, query, columns, count)
        : listStatement(filter, query, columns, count, isOn)
    return db.query<Row & ListedRow>({
      ...(columns === shown ? {} : nameOf(filter, count, upTo)),
      text: columns === shown ? page : showing(shown, page, filter),
      values: query.values,
      readOnly: true,
    })
  })
}

/** Rows of a page of the default length and of a full one, with the record that tells of more. */
const USUAL_COUNTS = [51, 101]

/**
 * The usual pages are prepared: to plan one takes many times as long as to read it. Each of them is the beginning of an
 * index, whatever the values are. Searches are not, and lists of schemas and clocks may be of very few or of most.
 */
function nameOf(filter: ClaimFilter, count: number, upTo: string | null): { name?: string } {
  const { kind, order, status, customerId, schemaId, testClockId, search, after } = filter
  if (search || schemaId || testClockId || !USUAL_COUNTS.includes(count)) return {}
  const conditions = { status, customer: customerId, after, up_to: upTo }
  const given = Object.entries(conditions).flatMap(([name, value]) => (value ? name : []))
  return { name: ['list', count, kind, order, ...given].join('_') }
}

const showing = (columns: string, page: string, { order }: ClaimFilter) =>
  `${/^--.*\n/.exec(page)}SELECT ${columns}, position, fresh FROM (\n${page}\n) AS page ORDER BY position ${order}`

const FRESH = `(${IS_FRESH} OR test_clock_id IS NOT NULL) AS fresh`

const kindOf = ({ kind }: ClaimFilter) => `candidate_alias IS ${kind === 'candidate' ? 'NOT NULL' : 'NULL'}`

function conditionsOf(filter: ClaimFilter, upTo: string | null): ListQuery {
  const query = new ListQuery()
    .where('user_id', '=', filter.userId)
    .where('status', '=', filter.status)
    .where('customer_id', '=', filter.customerId)
    .where('schema_id', '=', filter.schemaId)
    .where('test_clock_id', '=', filter.testClockId)
    .after(filter.after, filter.order)
    .where('position', '<=', upTo)
  return whereInRange(query, filter.search)
}

/**
 * Left to itself the planner may walk through the whole list for the few records that match a search: it cannot know
 * that they are at its end. So what matches is found first, and then put in order: few rows, or for aliases entries of
 * one index. Only if many match and there are other filters is the list walked through, where the matches are.
 */
async function findSpanToWalk(db: Connection, filter: ClaimFilter): Promise<SearchSpan | null> {
  const { userId, kind, search, status, customerId, schemaId, testClockId } = filter
  const isOnlyFilter = (status ?? customerId ?? schemaId ?? testClockId) === undefined
  return search && kind === 'candidate' && !isOnlyFilter ? findBroadSpan(db, userId, search) : null
}

/**
 * The indexes of an account's list and of a customer's are by status: if all are wanted, a page of each is read, in
 * the order of its index, and of them together the page is the beginning. Those by schema and by clock are not.
 *
 * On distributed tables these pages are read one after the other, each at a time of its own. In the order of the statuses,
 * which claims never go back, none is missed; one that changes its status meanwhile is there twice, and the later one is
 * taken.
 */
function listStatement(
  filter: ClaimFilter,
  query: ListQuery,
  columns: string,
  count: number,
  isDistributed: boolean,
): string {
  const page = `ORDER BY position ${filter.order} LIMIT ${count}`
  const pageWhere = (condition: string) =>
    `SELECT ${columns}, position, ${FRESH} FROM claims
      WHERE ${kindOf(filter)} AND ${query.conditions} AND ${condition} ${page}`
  const isOfOneIndex = (filter.status ?? filter.schemaId ?? filter.testClockId) !== undefined
  if (isOfOneIndex) return `-- list_claims\n${pageWhere('true')}`
  if (isDistributed) {
    const pages = STATUSES.map(
      (status, place) =>
        `(SELECT *, ${place} AS place FROM (${pageWhere(`status = '${status}'`)}) AS p${place})`,
    )
    return `-- list_claims
    SELECT DISTINCT ON (position) * FROM (${pages.join(' UNION ALL ')}) AS pages
    ORDER BY position ${filter.order}, place DESC LIMIT ${count}`
  }
  return `-- list_claims
    SELECT * FROM (
      ${STATUSES.map((status) => `(${pageWhere(`status = '${status}'`)})`).join(' UNION ALL ')}
    ) AS pages ${page}`
}

/** `position + 0` is in no index, so no plan walks through the list. */
function searchStatement(filter: ClaimFilter, query: ListQuery, columns: string, count: number): string {
  return `-- search_claims
    SELECT ${columns}, position, ${FRESH}
    FROM claims
    WHERE ${kindOf(filter)} AND user_id = $1 AND position = ANY (ARRAY(
      SELECT position FROM claims
      WHERE ${kindOf(filter)} AND ${query.conditions}
      ORDER BY position + 0 ${filter.order} LIMIT ${count}
    ))
    ORDER BY position ${filter.order}`
}

/** The position of one of the account's claims or candidates in its list, by its UUID; null if there is none. */
export async function findClaimPosition(
  db: Connection,
  userId: string,
  kind: ClaimAddress['kind'],
  id: string,
): Promise<string | null> {
  const [row] = await db.query<{ position: string }>({
    name: 'find_claim_position',
    text: `-- find_claim_position
      SELECT position FROM claims
      WHERE id = $1 AND user_id = $2 AND (candidate_alias IS NOT NULL) = $3`,
    values: [id, userId, kind === 'candidate'],
  })
  return row?.position ?? null
}
