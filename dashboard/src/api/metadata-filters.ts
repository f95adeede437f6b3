type FilterName = `metadata[${string}]`

/** Metadata filters of a list, as in its URL and in the API: `metadata[order]=A-4711`. */
export type MetadataFilters = { [name: FilterName]: string | undefined }

const NAME = /^metadata\[([\s\S]+)\]$/

const isMetadataFilter = (name: string): name is FilterName => NAME.test(name)

/** An empty text means no filter, except as the value of a metadata key. */
export const isGiven = ([name, value]: [name: string, value: unknown]): boolean =>
  value != null && (value !== '' || isMetadataFilter(name))

export const filterBy = (key: string, value: string | undefined): MetadataFilters => ({
  [`metadata[${key}]`]: value,
})

/** The metadata filters of a list, sorted by name. */
export const metadataFiltersIn = (filters: object): MetadataFilters =>
  Object.fromEntries(
    Object.entries(filters)
      .filter(([name, value]) => isMetadataFilter(name) && value !== undefined)
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  )

/** The metadata filters of a list as pairs of key and value. */
export const metadataPairsIn = (filters: object): [key: string, value: string][] =>
  Object.entries(metadataFiltersIn(filters)).map(([name, value]) => [
    NAME.exec(name)?.[1] as string,
    value as string,
  ])
