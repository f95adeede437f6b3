import { STATUSES, type Status } from '../../../src/domain/claims/lifecycle.ts'
import type { ClaimFilters } from '../api/claims.ts'

/** What the URL of a list holds: the filters, and the cursor of each page gone through. */
export interface ClaimSearch extends ClaimFilters {
  /** Cursors of the pages up to the shown one, joined by commas. */
  after?: string
}

/** A link's filters, without what is not one. */
export function readClaimFilters(search: Record<string, string>): ClaimSearch {
  const found: ClaimSearch = {}
  if (STATUSES.includes(search.status as Status)) found.status = search.status as Status
  for (const name of ['customer', 'schema', 'clock', 'search', 'after'] as const) {
    const value = search[name]
    if (value) found[name] = value
  }
  return found
}
