import type { ClaimAddress } from '../../../domain/claims/claim.ts'
import type { UuidEnds } from '../../../domain/uuid.ts'
import type { Connection } from '../../database/connection.ts'
import { ListQuery } from '../../lists/list-query.ts'

/** The ids, or the aliases, that begin alike. */
export interface SearchRange {
  /** As SQL. */
  column: string
  from: string
  /** Null if nothing comes after the range. */
  before: string | null
  /** What ids end with, beside that; absent for anything. */
  end?: string
  /** Where in the list they are, if they are too many to be put in order: see `withSpan`. */
  span?: SearchSpan
}

/** @param beginning at least 8 digits, without dashes */
export function idRange({ beginning: hex, end }: UuidEnds): SearchRange {
  const next = (BigInt(`0x${hex}`) + 1n).toString(16).padStart(hex.length, '0')
  return {
    column: 'id',
    from: hex.padEnd(32, '0'),
    before: next.length > hex.length ? null : next.padEnd(32, '0'),
    end,
  }
}

/** By code points, as PostgreSQL's collation "C" orders text in UTF-8. */
export function aliasRange(prefix: string): SearchRange {
  return { column: 'candidate_alias COLLATE "C"', from: prefix, before: successor(prefix) }
}

const HIGHEST = 0x10ffff
const [FIRST_SURROGATE, AFTER_SURROGATES] = [0xd800, 0xe000]

/** The least text that is after every text with this prefix. */
function successor(prefix: string): string | null {
  const points = Array.from(prefix, (character) => character.codePointAt(0) as number)
  while (points.at(-1) === HIGHEST) points.pop()
  const last = points.pop()
  if (last === undefined) return null
  const next = last + 1 === FIRST_SURROGATE ? AFTER_SURROGATES : last + 1
  return String.fromCodePoint(...points, next)
}

export function whereInRange(query: ListQuery, range: SearchRange | null): ListQuery {
  if (!range) return query
  query.where(range.column, '>=', range.from).where(range.column, '<', range.before)
  return range.end ? query.where(`right(${range.column}::text, ${range.end.length})`, '=', range.end) : query
}

/** Matches that are put in order if they are fewer; else the list is gone through, where they are. */
const MANY = 10_000
/** Entries of the search's index that are looked at for that: some ten milliseconds. Of more, the matches may be anywhere. */
const MOST_PLACED = 20_000

/** Where in the list the matches of a search are; null for no bound. */
interface SearchSpan {
  from: string | null
  to: string | null
}

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
  const { search } = selection
  if (!search) return selection
  const { count, from, to } = await lookAtMatches(db, selection, search)
  if (count < MANY) return selection
  // If all are of other accounts, no place is one of them.
  const span = count < MOST_PLACED ? { from: from ?? NOWHERE, to: to ?? NOWHERE } : { from: null, to: null }
  return { ...selection, search: { ...search, span } }
}

/** Before the first place. */
const NOWHERE = '0'

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
