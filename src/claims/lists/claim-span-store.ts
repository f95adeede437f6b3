import type { ClaimAddress } from '../../core/claims/claim.ts'
import type { Connection } from '../../platform/database/connection.ts'
import { ListQuery } from '../../platform/database/lists/list-query.ts'
import { findClaimFrom } from './claim-at-store.ts'
import { type SearchRange, type SearchSpan, whereInRange } from './claim-search.ts'

/** Matches that are put in order if they are fewer; else the list is gone through, where they are. */
const MANY = 10_000
/** Entries of the search's index that are looked at for that: some ten milliseconds. Of more, the matches may be anywhere. */
const MOST_PLACED = 20_000

interface Searching {
  userId: string
  kind: ClaimAddress['kind']
  search: SearchRange | null
}

/**
 * With the part of the list where the matches of its search are, if they are many. Ids and aliases often go with the time, so that
 * many matches lie close together and far from where a walk would begin.
 */
export async function withSpan<Selection extends Searching>(
  db: Connection,
  selection: Selection,
): Promise<Selection> {
  const { userId, kind, search } = selection
  if (!search) return selection
  const { count, from, to } = await lookAtMatches(db, selection, search)
  if (count < MANY) return selection
  const within = (span: SearchSpan) => ({ ...selection, search: { ...search, span } })
  if (count === MOST_PLACED) return within({ from: null, to: null })
  if (from === null) return within(NOWHERE)
  // Before one that is fresh there may be another by now, which was on its way.
  const first = await findClaimFrom(db, userId, kind, from, 'asc')
  return within({ from: first?.fresh === false ? from : null, to })
}

/** Before the first place: all are of other accounts. */
const NOWHERE: SearchSpan = { from: '0', to: '0' }

/** How many begin so, up to a number (ids of all accounts: their index is not by account), and where the account's own are. */
async function lookAtMatches(
  db: Connection,
  { userId, kind }: Searching,
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
  const [looked] = await db.query<{ count: number } & SearchSpan>({
    text: `-- find_search_span
      SELECT count(*)::int AS count, min(own) AS from, max(own) AS to FROM (${matches} LIMIT ${MOST_PLACED}) AS matches`,
    values: query.values,
    readOnly: true,
  })
  return looked ?? { count: 0, from: null, to: null }
}
