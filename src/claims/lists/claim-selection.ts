import type { ClaimAddress } from '../../core/claims/claim.ts'
import type { ClaimSort } from '../../core/claims/claim-sorts.ts'
import { STATUSES, type Status } from '../../core/claims/lifecycle.ts'
import type { Metadata } from '../../kernel/metadata.ts'
import type { SearchRange } from './claim-search.ts'

/** From the one on, up to the other; null for no bound. */
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

/** Which claims, or which candidates. What is undefined, and no status, is no condition. */
export interface ClaimSelection {
  userId: string
  kind: ClaimAddress['kind']
  statuses: readonly Status[]
  customerId: string | undefined
  schemaId: string | undefined
  testClockId: string | undefined
  search: SearchRange | null
  /** Those that live by the real time alone. */
  isLive?: boolean | undefined
  created?: TimeRange | undefined
  /** When the current window elapses: of those that are not resolved. */
  due?: TimeRange | undefined
  /** Of those that are. */
  resolved?: TimeRange | undefined
  price?: PriceRange | undefined
  /** All of these pairs. */
  metadata?: Metadata | undefined
}

/** After what a list goes on. */
export interface ClaimPlace {
  /** Null in an order that goes by positions alone. */
  time: Date | null
  /** Null after all that have the time. */
  position: string | null
}

export interface ClaimFilter extends ClaimSelection {
  /** By creation if it is not given. */
  sort?: ClaimSort | undefined
  after: ClaimPlace | null
  order: 'asc' | 'desc'
  limit: number
}

export const UNRESOLVED: readonly Status[] = ['OPEN', 'PENDING']
export const RESOLVED: readonly Status[] = ['CONFIRMED', 'FAILED']

/**
 * Whether the order is one of times. By creation that is so if its time is asked for; else lists go by positions, which no
 * clock that is set back changes.
 */
export const isTimed = ({ created }: ClaimSelection, sort: ClaimSort | undefined): boolean =>
  (sort !== undefined && sort !== 'created_at') || created !== undefined

/**
 * With what its filters and its order say besides: what is due is not resolved, and times are compared with those of the
 * same clock. Null if no claim can be so.
 */
export function whole(selection: ClaimFilter): ClaimFilter | null {
  const { sort, due, resolved, testClockId } = selection
  const asked = selection.statuses.length > 0 ? selection.statuses : STATUSES
  const statuses = STATUSES.filter(
    (status) =>
      asked.includes(status) &&
      (UNRESOLVED.includes(status) || (due === undefined && sort !== 'due_at')) &&
      (RESOLVED.includes(status) || resolved === undefined),
  )
  if (statuses.length === 0) return null
  const hasTimes = isTimed(selection, sort) || due !== undefined || resolved !== undefined
  const isLive = selection.isLive === true || (hasTimes && testClockId === undefined)
  return { ...selection, statuses, isLive }
}

/** Whether lists by status, customer, schema, clock and search, in the order of creation, are enough for it. */
export function isPlain(filter: ClaimFilter): boolean {
  const { sort, isLive, created, due, resolved, price, metadata, search } = filter
  const { customerId, schemaId, testClockId } = filter
  const owners = [customerId, schemaId, testClockId].filter((owner) => owner !== undefined)
  return (
    !isTimed(filter, sort) &&
    !(isLive || created || due || resolved || price || metadata || search?.span) &&
    owners.length < 2
  )
}
