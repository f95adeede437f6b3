import type { Metadata, MetadataChange } from '../../../src/kernel/metadata.ts'
import { get, patch, type Tagged } from '../api/client.ts'
import type { ClaimKind } from '../api/records.ts'

/** Records with metadata, by their names in paths and query keys. */
export type NotedKind = ClaimKind | 'customers'

export interface Noted {
  metadata: Metadata
}

const pathOf = (kind: NotedKind, name: string) => `/v1/${kind}/${encodeURIComponent(name)}`

/** @param name an id, or a candidate's alias */
export const readNoted = (kind: NotedKind, name: string): Promise<Tagged<Noted>> => get(pathOf(kind, name))

/** Other keys stay. Fails with 412 if the record has changed since `base` was read. */
export const changeMetadata = (
  kind: NotedKind,
  name: string,
  base: Tagged<Noted>,
  metadata: MetadataChange,
): Promise<Tagged<Noted>> => patch(pathOf(kind, name), { metadata }, base)
