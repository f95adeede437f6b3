import { changeMetadata, type Metadata, type MetadataChange, MAX_METADATA_KEYS } from '../domain/metadata.ts'
import { validationError } from '../errors.ts'

/** @throws VALIDATION_ERROR if there would be too many keys */
export function changedMetadata(metadata: Metadata, change: MetadataChange): Metadata {
  const result = changeMetadata(metadata, change)
  if (result) return result
  const message = `must not have more than ${MAX_METADATA_KEYS} keys with those that it has`
  throw validationError([{ path: 'metadata', message }])
}
