import { MAX_METADATA_KEYS } from './limits.ts'
/** Notes of a caller about a claim, a candidate or a customer (§2.14). No decision reads them. */
export type Metadata = Readonly<Record<string, string>>

/** New values by key. A null value removes the key. Null instead of the object removes all keys. */
export type MetadataChange = Readonly<Record<string, string | null>> | null

/** The metadata after the change. Null if there would be too many keys. */
export function changeMetadata(metadata: Metadata, change: MetadataChange): Metadata | null {
  if (change === null) return {}
  const changed = Object.entries({ ...metadata, ...change }).filter(
    (entry): entry is [string, string] => entry[1] !== null,
  )
  return changed.length > MAX_METADATA_KEYS ? null : Object.fromEntries(changed)
}

/** A text that is equal for equal keys and values, in any order. */
export const canonicalMetadata = (metadata: Metadata): string =>
  JSON.stringify(Object.entries(metadata).sort(([a], [b]) => (a < b ? -1 : 1)))

/** Total length of keys and values in UTF-16 units. */
export const charactersOfMetadata = (metadata: Metadata): number =>
  Object.entries(metadata).reduce((sum, [key, value]) => sum + key.length + value.length, 0)
