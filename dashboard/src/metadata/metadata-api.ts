import type { Metadata, MetadataChange } from '../../../src/kernel/metadata.ts'
import { get, patch, type Tagged } from '../api/client.ts'
import type { ClaimKind } from '../api/records.ts'

/** Records with metadata, by their names in paths and query keys. */
export type MetadataKind = ClaimKind | 'customers'

export interface WithMetadata {
  metadata: Metadata
}

const pathOf = (kind: MetadataKind, name: string) => `/v1/${kind}/${encodeURIComponent(name)}`

/** @param name an id, or a candidate's alias */
export const readMetadata = (kind: MetadataKind, name: string): Promise<Tagged<WithMetadata>> =>
  get(pathOf(kind, name))

/** Other keys stay. Fails with 412 if the record has changed since `base` was read. */
export const changeMetadata = (
  kind: MetadataKind,
  name: string,
  base: Tagged<WithMetadata>,
  metadata: MetadataChange,
): Promise<Tagged<WithMetadata>> => patch(pathOf(kind, name), { metadata }, base)
