import { type MetadataFilters, metadataFiltersIn } from '../api/metadata-filters.ts'

/** The search parameters of the list's URL. */
export interface CustomerSearch extends MetadataFilters {
  search?: string | undefined
  /** The cursor of the shown page. */
  after?: string
}

/** The valid filters of a link. */
export const readCustomerSearch = (given: Record<string, string | undefined>): CustomerSearch => ({
  ...(given.search ? { search: given.search } : {}),
  ...metadataFiltersIn(given),
  ...(given.after ? { after: given.after } : {}),
})
