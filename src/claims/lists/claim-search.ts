import type { UuidEnds } from '../../kernel/uuid.ts'
import type { ListQuery } from '../../platform/database/lists/list-query.ts'

/** The ids, or the aliases, that begin alike. */
export interface SearchRange {
  /** As SQL. */
  column: string
  from: string
  /** Null if nothing comes after the range. */
  before: string | null
  /** What ids end with, beside that; absent for anything. */
  end?: string
  /** Where in the list they are, if they are too many to be put in order: see `claim-span.ts`. */
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

/** Where in the list the matches of a search are; null for no bound. */
export interface SearchSpan {
  from: string | null
  to: string | null
}
