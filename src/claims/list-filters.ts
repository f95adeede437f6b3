import type { ClaimSort } from '../core/claims/claim.ts'
import type { Status } from '../core/claims/lifecycle.ts'
import { validationError } from '../kernel/errors.ts'
import type { Issue } from '../kernel/issue.ts'
import type { Metadata } from '../kernel/metadata.ts'
import type { ClaimSelection, PriceRange, TimeRange } from './lists/claim-selection.ts'

/**
 * Filters that lists of claims and of candidates share. An undefined filter, and an empty list of statuses, is no
 * condition.
 */
export interface ListFilters {
  userId: string
  statuses: readonly Status[]
  schemaId: string | undefined
  testClockId: string | undefined
  isLive?: boolean | undefined
  created?: TimeRange | undefined
  due?: TimeRange | undefined
  resolved?: TimeRange | undefined
  price?: PriceRange | undefined
  /** A record must have all of these pairs. */
  metadata?: Metadata | undefined
}

export interface Sorted {
  /** By creation if absent. */
  sort?: ClaimSort | undefined
}

/** The part of the selection that both lists share. */
export function selectionOf(filters: ListFilters): Omit<ClaimSelection, 'kind' | 'customerId' | 'search'> {
  const { userId, statuses, schemaId, testClockId, isLive, created, due, resolved, price, metadata } = filters
  return { userId, statuses, schemaId, testClockId, isLive, created, due, resolved, price, metadata }
}

/** @throws VALIDATION_ERROR if filters contradict each other */
export function checkFilters({ testClockId, isLive, due, resolved }: ListFilters): void {
  const issues: Issue[] = []
  if (isLive && testClockId !== undefined)
    issues.push({ path: 'clock', message: 'must not be given beside test_clock_id' })
  if (due && resolved)
    issues.push({
      path: resolved.from ? 'resolved_from' : 'resolved_before',
      message: 'must not be given beside due_from or due_before: what is resolved is not due',
    })
  if (issues.length > 0) throw validationError(issues)
}
