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
import { clockPart, orderedParts, type Part, selectiveParts, uncheckedFilters } from './claim-walk.ts'
import { indexEntriesSql, probeSql } from './selective-statement-store.ts'

export interface ClaimCount {
  count: number
  /** If false, `count` is a lower bound. */
  isExact: boolean
}

/** Counts the claims of all pages of a list. Reads at most `MAX_COUNTED_ENTRIES` index entries. */
export async function countClaims(db: Connection, requested: ClaimFilter): Promise<ClaimCount> {
  const filter = withImpliedFilters({ ...requested, after: null, limit: 0 })
  if (!filter || !(await ownsTestClock(db, filter))) return { count: 0, isExact: true }
  const selective = selectiveParts(filter)
  const isAll = (part: Part) => uncheckedFilters(filter, part).length === 0
  const best = (await findSelectivePart(db, filter)) ?? selective.find(isAll) ?? selective[0]
  const parts = best ? [best] : (orderedParts(filter) ?? [clockPart(filter)])
  const sql = new ConditionSql(filter)
  const probes = parts.map((part) => {
    const fits = sql.of(uncheckedFilters(filter, part)).join(' AND ') || 'true'
    return `(${probeSql(db, sql, part, fits, MAX_COUNTED_ENTRIES)})`
  })
  const [row] = await db.query<{ count: number; is_exact: boolean }>({
    text: `-- count_claims
      SELECT count(*) FILTER (WHERE fits)::int AS count, count(*) < ${MAX_COUNTED_ENTRIES} AS is_exact
      FROM (SELECT fits FROM (${probes.join(' UNION ALL ')}) AS probes LIMIT ${MAX_COUNTED_ENTRIES}) AS seen`,
    values: sql.query.values,
    readOnly: true,
  })
  return { count: row?.count ?? 0, isExact: row?.is_exact === true }
}

/** The index by clock does not contain the account, so the clock must belong to the account. */
export const ownsTestClock = async (db: Connection, { userId, testClockId }: ClaimSelection) =>
  testClockId === undefined || (await findTestClockPosition(db, userId, testClockId)) !== null

/** The filter that finds the fewest records, if they are few enough to be sorted. */
export async function findSelectivePart(db: Connection, filter: ClaimFilter): Promise<Part | null> {
  let least: { part: Part | null; count: number } = { part: null, count: MAX_SORTED_ENTRIES }
  for (const part of selectiveParts(filter)) {
    const count = await countUpTo(db, filter, part, least.count)
    if (count < least.count) least = { part, count }
    if (count <= filter.limit) break
  }
  return least.part
}

/** The number of entries that an index finds, by an index-only scan. */
async function countUpTo(db: Connection, filter: ClaimFilter, part: Part, limit: number): Promise<number> {
  const sql = new ConditionSql(filter)
  const [row] = await db.query<{ count: number }>({
    text: `-- count_claims_up_to
      SELECT count(*)::int AS count FROM (SELECT user_id FROM ${indexEntriesSql(sql, part)} LIMIT ${limit}) AS found`,
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
 * Adds the span of the list that contains the matches of the search, if they are many. Ids and aliases often follow
 * the time. Then the matches lie close together, and far from the start of a scan.
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
  if (from === null) return within(NOWHERE)
  // An uncommitted record may still come before a fresh one.
  const first = await findClaimFrom(db, userId, kind, from, 'asc')
  return within({ from: first?.fresh === false ? from : null, to })
}

/** Before the first position: all matches belong to other accounts. */
const NOWHERE: SearchSpan = { from: '0', to: '0' }

/**
 * Counts the matches of the search up to a limit, and finds the span of the account's own. The index of ids contains
 * all accounts.
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
