import { STATUSES, type Status } from '../../../src/core/claims/lifecycle.ts'
import { CLAIM_ORDERS, type ClaimFilters } from '../api/claims.ts'
import { metadataFiltersIn } from '../api/metadata-filters.ts'

/** What the URL of a list holds: the filters, and the cursor of each page gone through. */
export interface ClaimSearch extends ClaimFilters {
  /** Cursors of the pages up to the shown one, joined by commas. */
  after?: string
}

/** The filters that are not always in sight. */
export const MORE_FILTERS = [
  'sort',
  'created_from',
  'created_before',
  'due_from',
  'due_before',
  'resolved_from',
  'resolved_before',
  'price_from',
  'price_to',
] as const

const TEXTS = ['customer', 'schema', 'clock', 'search', 'after', ...MORE_FILTERS] as const

/** A link's filters, without what is not one. */
export function readClaimFilters(search: Record<string, string>): ClaimSearch {
  const found: ClaimSearch = {}
  const statuses = String(search.status ?? '').split(',')
  if (statuses.every((status) => STATUSES.includes(status as Status)))
    found.status = STATUSES.filter((status) => statuses.includes(status)).join(',')
  for (const name of TEXTS) {
    const value = search[name]
    if (value && (name !== 'sort' || Object.hasOwn(CLAIM_ORDERS, value))) found[name] = value as never
  }
  return { ...found, ...metadataFiltersIn(search) }
}
