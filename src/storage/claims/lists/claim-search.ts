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
/** Aliases of which it is looked where in the list they are; of more, they are anywhere. */
const MOST_PLACED = 100_000
/** By so much at most two servers' clocks differ, and a claim's place in the list is taken after its id. */
const SLACK_MS = 300_000
/** Ids beyond that, of whose places the farthest is taken: some were made by a clock that was wrong, or tell no time. */
const NEIGHBOURS = 100

/** Where in the list the matches of a search are; null for no bound. */
interface SearchSpan {
  from: string | null
  to: string | null
}

/** With the part of the list where the matches of its search are, if they are many. */
export async function withSpan<Selection extends Searching>(
  db: Connection,
  selection: Selection,
): Promise<Selection> {
  const { kind, userId, search } = selection
  if (!search) return selection
  const span = kind === 'claim' ? await spanOfIds(db, search) : await spanOfAliases(db, userId, search)
  return span ? { ...selection, search: { ...search, span } } : selection
}

interface Searching {
  userId: string
  kind: ClaimAddress['kind']
  search: SearchRange | null
}

/** Ids begin with the time at which they were made, so what was made around the same time is around the same place. */
async function spanOfIds(db: Connection, range: SearchRange): Promise<SearchSpan | null> {
  const { end: _, ...beginning } = range
  const query = whereInRange(new ListQuery(), beginning)
  const [counted] = await db.query<{ many: boolean; first: string; last: string }>({
    // Of all accounts: the index is not by account.
    text: `-- count_search
      SELECT count(*) = ${MANY} AS many, min(position) AS first, max(position) AS last
      FROM (SELECT position FROM claims WHERE ${query.conditions} LIMIT ${MANY}) AS matches`,
    values: query.values,
    readOnly: true,
  })
  if (counted?.many !== true) return null
  const placeBeside = async (sign: '<' | '>', id: string) => {
    const [row] = await db.query<{ position: string | null }>({
      text: `-- find_place_beside_search
        SELECT ${sign === '<' ? 'min' : 'max'}(position) AS position FROM (
          SELECT id, position FROM claims WHERE id ${sign} $1 ORDER BY id ${sign === '<' ? 'DESC' : 'ASC'} LIMIT ${NEIGHBOURS}
        ) AS neighbours WHERE substr(id::text, 15, 1) = '7'`,
      values: [id],
      readOnly: true,
    })
    return row?.position ?? null
  }
  const from = await placeBeside('<', movedBy(range.from, -SLACK_MS))
  const to = range.before && (await placeBeside('>', movedBy(range.before, SLACK_MS)))
  // Those beside it are all of wrong clocks.
  const { first, last } = counted
  return {
    from: from && BigInt(from) < BigInt(first) ? from : null,
    to: to && BigInt(to) > BigInt(last) ? to : null,
  }
}

/** An id of that many milliseconds later; the least or the highest if there is none. */
function movedBy(hex: string, ms: number): string {
  const time = Number.parseInt(hex.slice(0, 12), 16) + ms
  if (time < 0) return '0'.repeat(32)
  return time >= 2 ** 48 ? 'f'.repeat(32) : time.toString(16).padStart(12, '0') + hex.slice(12)
}

/** Aliases often go with the time, so that many matches lie close together and far from where a walk would begin. */
async function spanOfAliases(db: Connection, userId: string, range: SearchRange): Promise<SearchSpan | null> {
  const query = whereInRange(new ListQuery().where('user_id', '=', userId), range)
  const matches = (most: number) =>
    `(SELECT position FROM claims WHERE candidate_alias IS NOT NULL AND ${query.conditions}
          ORDER BY user_id, ${range.column} LIMIT ${most}) AS matches`
  const { values } = query
  const [counted] = await db.query<{ many: boolean }>({
    text: `-- count_search
      SELECT count(*) = ${MANY} AS many FROM ${matches(MANY)}`,
    values,
    readOnly: true,
  })
  if (counted?.many !== true) return null
  const [span] = await db.query<SearchSpan & { all: boolean }>({
    text: `-- find_search_span
      SELECT min(position + 0) AS from, max(position + 0) AS to, count(*) < ${MOST_PLACED} AS all FROM ${matches(MOST_PLACED)}`,
    values,
    readOnly: true,
  })
  return span?.all ? { from: span.from, to: span.to } : { from: null, to: null }
}
