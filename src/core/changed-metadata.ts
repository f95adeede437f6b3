import { validationError } from '../kernel/errors.ts'
import { changeMetadata, MAX_METADATA_KEYS, type Metadata, type MetadataChange } from '../kernel/metadata.ts'

/** @throws VALIDATION_ERROR if there would be too many keys */
export function changedMetadata(metadata: Metadata, change: MetadataChange): Metadata {
  const result = changeMetadata(metadata, change)
  if (result) return result
  const message = `must not have more than ${MAX_METADATA_KEYS} keys with those that it has`
  throw validationError([{ path: 'metadata', message }])
}
