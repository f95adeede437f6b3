type FilterName = `metadata[${string}]`

/** What of a list is asked for by metadata, in its URL as in the API: `metadata[order]=A-4711`. */
export type MetadataFilters = { [name: FilterName]: string | undefined }

const NAME = /^metadata\[([\s\S]+)\]$/

const isMetadataFilter = (name: string): name is FilterName => NAME.test(name)

/** An empty text is none; as the value of a key it is one like any other. */
export const isGiven = ([name, value]: [name: string, value: unknown]): boolean =>
  value != null && (value !== '' || isMetadataFilter(name))

export const filterBy = (key: string, value: string | undefined): MetadataFilters => ({
  [`metadata[${key}]`]: value,
})

/** Those that are among the filters of a list, by the alphabet. */
export const metadataFiltersIn = (filters: object): MetadataFilters =>
  Object.fromEntries(
    Object.entries(filters)
      .filter(([name, value]) => isMetadataFilter(name) && value !== undefined)
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  )

/** The keys that are asked for, with their values. */
export const askedPairs = (filters: object): [key: string, value: string][] =>
  Object.entries(metadataFiltersIn(filters)).map(([name, value]) => [
    NAME.exec(name)?.[1] as string,
    value as string,
  ])
