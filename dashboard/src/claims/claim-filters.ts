import { STATUSES, type Status } from '../../../src/core/claims/lifecycle.ts'
import { metadataFiltersIn } from '../api/metadata-filters.ts'
import { CLAIM_ORDERS, type ClaimFilters } from './claims-api.ts'

/** The search parameters of a list's URL: the filters and the cursor of the page. */
export interface ClaimSearch extends ClaimFilters {
  /** The cursor of the shown page. */
  after?: string
}

/** The filters behind the "More" button. */
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

/** The valid filters of a link. */
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
