import type { ClaimAddress } from '../../core/claims/claim.ts'
import type { Connection } from '../../platform/database/connection.ts'
import { ListQuery } from '../../platform/database/lists/list-query.ts'
import { findTestClockPosition } from '../../test-clocks/test-clock-store.ts'
import { MAX_COUNTED_ENTRIES, MAX_SEARCH_ENTRIES, MAX_SORTED_ENTRIES } from '../limits.ts'
import { findClaimFrom } from './claim-at-store.ts'
import { ConditionSql } from './claim-conditions.ts'
import {
  type ClaimFilter,
  type ClaimSelection,
  type SearchRange,
  type SearchSpan,
  whereInRange,
  withImpliedFilters,
} from './claim-selection.ts'
import {
  type IndexScan,
  orderedScans,
  searchScan,
  selectiveScans,
  testClockScan,
  uncheckedFilters,
} from './index-scans.ts'
import { indexEntriesSql, probeSql } from './list-statement-store.ts'

export interface ClaimCount {
  count: number
  /** If false, `count` is a lower bound. */
  isExact: boolean
}

/** Counts the claims of all pages of a list. Reads at most `MAX_COUNTED_ENTRIES` index entries. */
export async function countClaims(db: Connection, requested: ClaimFilter): Promise<ClaimCount> {
  const filter = withImpliedFilters({ ...requested, after: null, limit: 0 })
  if (!filter || !(await ownsTestClock(db, filter))) return { count: 0, isExact: true }
  const selective = selectiveScans(filter)
  const coversFilters = (scan: IndexScan) => uncheckedFilters(filter, scan).length === 0
  const best = (await findSelectiveScan(db, filter)) ?? selective.find(coversFilters) ?? selective[0]
  const scans = best ? [best] : (orderedScans(filter) ?? [testClockScan(filter)])
  const sql = new ConditionSql(filter)
  const probes = scans.map((scan) => {
    const condition = sql.of(uncheckedFilters(filter, scan)).join(' AND ') || 'true'
    return `(${probeSql(db, sql, scan, condition, MAX_COUNTED_ENTRIES)})`
  })
  const [row] = await db.query<{ count: number; is_exact: boolean }>({
    text: `-- count_claims
      SELECT count(*) FILTER (WHERE matches)::int AS count, count(*) < ${MAX_COUNTED_ENTRIES} AS is_exact
      FROM (SELECT matches FROM (${probes.join(' UNION ALL ')}) AS probes LIMIT ${MAX_COUNTED_ENTRIES}) AS seen`,
    values: sql.query.values,
    readOnly: true,
  })
  return { count: row?.count ?? 0, isExact: row?.is_exact === true }
}

/** The index by clock does not contain the account, so the clock must belong to the account. */
export const ownsTestClock = async (db: Connection, { userId, testClockId }: ClaimSelection) =>
  testClockId === undefined || (await findTestClockPosition(db, userId, testClockId)) !== null

/** The scan that finds the fewest records, if they are few enough to be sorted. A search with few matches comes first. */
export async function findSelectiveScan(db: Connection, filter: ClaimFilter): Promise<IndexScan | null> {
  const search = searchScan(filter)
  if (search) return search
  let least: { scan: IndexScan | null; count: number } = { scan: null, count: MAX_SORTED_ENTRIES }
  for (const scan of selectiveScans(filter)) {
    const count = await countUpTo(db, filter, scan, least.count)
    if (count < least.count) least = { scan, count }
    if (count <= filter.limit) break
  }
  return least.scan
}

/** The number of entries of a scan, by an index-only scan. */
async function countUpTo(
  db: Connection,
  filter: ClaimFilter,
  scan: IndexScan,
  limit: number,
): Promise<number> {
  const sql = new ConditionSql(filter)
  const [row] = await db.query<{ count: number }>({
    text: `-- count_claims_up_to
      SELECT count(*)::int AS count FROM (SELECT user_id FROM ${indexEntriesSql(sql, scan)} LIMIT ${limit}) AS found`,
    values: sql.query.values,
    readOnly: true,
  })
  return row?.count ?? 0
}

interface SearchSelection {
  userId: string
  kind: ClaimAddress['kind']
  search: SearchRange | null
}

/**
 * Adds the span of positions that contains all matches of the search, if the matches are too many to sort. Ids and aliases
 * often grow with time, so the matches are close together. Without the span, a scan from the start of the list could end
 * before the first match.
 */
export async function withSpan<Selection extends SearchSelection>(
  db: Connection,
  selection: Selection,
): Promise<Selection> {
  const { userId, kind, search } = selection
  if (!search) return selection
  const { count, from, to } = await sampleMatches(db, selection, search)
  if (count < MAX_SORTED_ENTRIES) return selection
  const within = (span: SearchSpan) => ({ ...selection, search: { ...search, span } })
  if (count === MAX_SEARCH_ENTRIES) return within({ from: null, to: null })
  if (from === null) return within(EMPTY_SPAN)
  // A record that is not committed yet may get a position before a fresh record.
  const first = await findClaimFrom(db, userId, kind, from, 'asc')
  return within({ from: first?.fresh === false ? from : null, to })
}

/** An empty span, before the first position. For matches that all belong to other accounts. */
const EMPTY_SPAN: SearchSpan = { from: '0', to: '0' }

/**
 * Counts the matches of the search up to a limit, and finds the span of the matches that belong to the account. The index
 * of ids contains the claims of all accounts.
 */
async function sampleMatches(
  db: Connection,
  { userId, kind }: SearchSelection,
  { end: _, ...beginning }: SearchRange,
): Promise<{ count: number } & SearchSpan> {
  const query = new ListQuery()
  const user = query.parameter(userId)
  const begins = whereInRange(query, beginning).conditions
  const matches =
    kind === 'claim'
      ? `SELECT CASE WHEN user_id = ${user} AND candidate_alias IS NULL THEN position END AS own FROM claims
        WHERE ${begins} ORDER BY id`
      : `SELECT position AS own FROM claims
        WHERE candidate_alias IS NOT NULL AND user_id = ${user} AND ${begins} ORDER BY user_id, ${beginning.column}`
  const [row] = await db.query<{ count: number } & SearchSpan>({
    text: `-- find_search_span
      SELECT count(*)::int AS count, min(own) AS from, max(own) AS to FROM (${matches} LIMIT ${MAX_SEARCH_ENTRIES}) AS matches`,
    values: query.values,
    readOnly: true,
  })
  return row ?? { count: 0, from: null, to: null }
}
