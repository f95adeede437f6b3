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

/** Matches from which on a search with other filters is better answered by a walk through the list. */
const MANY = 10_000

/** Where in the list the matches of a search are. */
export interface SearchSpan {
  from: string
  to: string
}

/**
 * The part of the list that holds the account's candidates with such an alias, if they are many; null if they are
 * not. Reads nothing but an index. Aliases often go with the time, so that many matches lie close together and far
 * from where a walk would begin.
 */
export async function findBroadSpan(
  db: Connection,
  userId: string,
  range: SearchRange,
): Promise<SearchSpan | null> {
  const query = whereInRange(new ListQuery().where('user_id', '=', userId), range)
  const matches = `SELECT position FROM claims WHERE candidate_alias IS NOT NULL AND ${query.conditions}
          ORDER BY user_id, ${range.column}`
  const { values } = query
  const [counted] = await db.query<{ many: boolean }>({
    text: `-- count_search
      SELECT count(*) = ${MANY} AS many FROM (${matches} LIMIT ${MANY}) AS matches`,
    values,
    readOnly: true,
  })
  if (counted?.many !== true) return null
  const [span] = await db.query<SearchSpan>({
    text: `-- find_search_span
      SELECT min(position + 0) AS from, max(position + 0) AS to FROM (${matches} OFFSET 0) AS matches`,
    values,
    readOnly: true,
  })
  return span ?? null
}
