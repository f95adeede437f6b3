import type { ClaimAddress, ClaimSort } from '../../core/claims/claim.ts'
import { STATUSES, type Status } from '../../core/claims/lifecycle.ts'
import type { Metadata } from '../../kernel/metadata.ts'
import type { UuidEnds } from '../../kernel/uuid.ts'
import type { ListQuery } from '../../platform/database/lists/list-query.ts'

/** `from` is inclusive. Null for no bound. */
export interface TimeRange {
  from: Date | null
  /** Exclusive. */
  before: Date | null
}

/** Exact decimals, both inclusive; null for no bound. */
export interface PriceRange {
  from: string | null
  to: string | null
}

/** Selects claims or candidates. An undefined filter, and an empty list of statuses, is no condition. */
export interface ClaimSelection {
  userId: string
  kind: ClaimAddress['kind']
  statuses: readonly Status[]
  customerId: string | undefined
  schemaId: string | undefined
  testClockId: string | undefined
  search: SearchRange | null
  /** Only records without a test clock. */
  isLive?: boolean | undefined
  created?: TimeRange | undefined
  /** When the current window elapses. Selects only unresolved records. */
  due?: TimeRange | undefined
  /** Time of the resolution. Selects only resolved records. */
  resolved?: TimeRange | undefined
  price?: PriceRange | undefined
  /** A record must have all of these pairs. */
  metadata?: Metadata | undefined
}

/** The place after which a list continues. */
export interface ClaimPlace {
  /** Null in an order by position. */
  time: Date | null
  /** Null: after all records of the time. */
  position: string | null
}

export interface ClaimFilter extends ClaimSelection {
  /** By creation if absent. */
  sort?: ClaimSort | undefined
  after: ClaimPlace | null
  order: 'asc' | 'desc'
  limit: number
}

export const UNRESOLVED: readonly Status[] = ['OPEN', 'PENDING']
export const RESOLVED: readonly Status[] = ['CONFIRMED', 'FAILED']

/**
 * Whether the list is ordered by time. The order of creation is by time only with a filter on the creation time.
 * Otherwise it is by position, which does not change if a clock is set back.
 */
export const isTimed = ({ created }: ClaimSelection, sort: ClaimSort | undefined): boolean =>
  (sort !== undefined && sort !== 'created_at') || created !== undefined

const ANY_TIME: TimeRange = { from: null, before: null }

/**
 * Adds the conditions that the filters and the order imply: a due record is not resolved, and times are compared only
 * within one clock. Null if no claim can match.
 */
export function withImpliedFilters(selection: ClaimFilter): ClaimFilter | null {
  const { sort, due, resolved, testClockId } = selection
  const requested = selection.statuses.length > 0 ? selection.statuses : STATUSES
  const statuses = STATUSES.filter(
    (status) =>
      requested.includes(status) &&
      (UNRESOLVED.includes(status) || (due === undefined && sort !== 'due_at')) &&
      (RESOLVED.includes(status) || resolved === undefined),
  )
  if (statuses.length === 0) return null
  const hasTimes = isTimed(selection, sort) || due !== undefined || resolved !== undefined
  const isLive = selection.isLive === true || (hasTimes && testClockId === undefined)
  // A claim whose clock is stopped has no due time (§2.1a).
  return { ...selection, statuses, isLive, ...(sort === 'due_at' && { due: due ?? ANY_TIME }) }
}

/** A range of ids or aliases with a common prefix. */
export interface SearchRange {
  /** SQL. */
  column: string
  from: string
  /** Null if nothing comes after the range. */
  before: string | null
  /** Suffix of the ids. Absent for any suffix. */
  end?: string
  /** The span of positions of the matches, if they are too many to sort: see `withSpan` in `claim-count-store.ts`. */
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

/** Compares code points, like PostgreSQL's collation "C" in UTF-8. */
export function aliasRange(prefix: string): SearchRange {
  return { column: 'candidate_alias COLLATE "C"', from: prefix, before: successor(prefix) }
}

const HIGHEST = 0x10ffff
const [FIRST_SURROGATE, AFTER_SURROGATES] = [0xd800, 0xe000]

/** The smallest text after all texts with this prefix. */
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

/** The span of positions that contains the matches of a search. Null for no bound. */
export interface SearchSpan {
  from: string | null
  to: string | null
}
