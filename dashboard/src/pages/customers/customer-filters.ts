import { type MetadataFilters, metadataFiltersIn } from '../../api/metadata-filters.ts'

/** What the URL of the list holds. */
export interface CustomerSearch extends MetadataFilters {
  search?: string | undefined
  /** Cursors of the pages up to the shown one, joined by commas. */
  after?: string
}

/** A link's filters, without what is not one. */
export const readCustomerSearch = (given: Record<string, string | undefined>): CustomerSearch => ({
  ...(given.search ? { search: given.search } : {}),
  ...metadataFiltersIn(given),
  ...(given.after ? { after: given.after } : {}),
})
