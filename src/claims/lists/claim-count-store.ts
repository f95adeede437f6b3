import type { Connection } from '../../platform/database/connection.ts'
import { findTestClockPosition } from '../../test-clocks/test-clock-store.ts'
import { ConditionSql } from './claim-conditions.ts'
import { type ClaimFilter, type ClaimSelection, whole } from './claim-selection.ts'
import { findersOf, ofClock, type Part, restOf, walkOf } from './claim-walk.ts'
import { entriesOf, looksAt } from './selective-statement-store.ts'

/** What an index finds is little if it is less. */
const FEW = 10_000
/** Entries that are counted at most: some ten milliseconds. */
const MOST_COUNTED = 10_000

export interface ClaimCount {
  count: number
  /** Whether those are all; if not, there are at least so many. */
  isExact: boolean
}

/** How many claims a list has, all of its pages, as far as so many entries of an index tell it. */
export async function countClaims(db: Connection, asked: ClaimFilter): Promise<ClaimCount> {
  const filter = whole({ ...asked, after: null, limit: 0 })
  if (!filter || !(await hasItsClock(db, filter))) return { count: 0, isExact: true }
  const finders = findersOf(filter)
  const isAll = (part: Part) => restOf(filter, part).length === 0
  const one = (await findFew(db, filter)) ?? finders.find(isAll) ?? finders[0]
  const parts = one ? [one] : (walkOf(filter) ?? [ofClock(filter)])
  const sql = new ConditionSql(filter)
  const looks = parts.map((part) => {
    const fits = sql.of(restOf(filter, part)).join(' AND ') || 'true'
    return `(${looksAt(db, sql, part, fits, MOST_COUNTED)})`
  })
  const [row] = await db.query<{ count: number; is_exact: boolean }>({
    text: `-- count_claims
      SELECT count(*) FILTER (WHERE fits)::int AS count, count(*) < ${MOST_COUNTED} AS is_exact
      FROM (SELECT fits FROM (${looks.join(' UNION ALL ')}) AS looks LIMIT ${MOST_COUNTED}) AS seen`,
    values: sql.query.values,
    readOnly: true,
  })
  return { count: row?.count ?? 0, isExact: row?.is_exact === true }
}

/** The index of clocks is not by account: another's is not looked at. */
export const hasItsClock = async (db: Connection, { userId, testClockId }: ClaimSelection) =>
  testClockId === undefined || (await findTestClockPosition(db, userId, testClockId)) !== null

/** The least of what single filters find, if it is little. */
export async function findFew(db: Connection, filter: ClaimFilter): Promise<Part | null> {
  let least: { part: Part | null; count: number } = { part: null, count: FEW }
  for (const part of findersOf(filter)) {
    const count = await countUpTo(db, filter, part, least.count)
    if (count < least.count) least = { part, count }
    if (count <= filter.limit) break
  }
  return least.part
}

/** How many an index finds; read of the index alone. */
async function countUpTo(db: Connection, filter: ClaimFilter, part: Part, most: number): Promise<number> {
  const sql = new ConditionSql(filter)
  const [row] = await db.query<{ count: number }>({
    text: `-- count_claims_up_to
      SELECT count(*)::int AS count FROM (SELECT user_id FROM ${entriesOf(sql, part)} LIMIT ${most}) AS found`,
    values: sql.query.values,
    readOnly: true,
  })
  return row?.count ?? 0
}
