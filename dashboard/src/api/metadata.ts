import type { Metadata, MetadataChange } from '../../../src/kernel/metadata.ts'
import type { ClaimKind } from './claims.ts'
import { get, patch, type Tagged } from './client.ts'

/** What can have metadata, as it is called in paths, and in the keys of queries. */
export type NotedKind = ClaimKind | 'customers'

export interface Noted {
  metadata: Metadata
}

const pathOf = (kind: NotedKind, name: string) => `/v1/${kind}/${encodeURIComponent(name)}`

/** @param name an id, or a candidate's alias */
export const readNoted = (kind: NotedKind, name: string): Promise<Tagged<Noted>> => get(pathOf(kind, name))

/** Keys that are not named stay. If the record was changed since, it is not. */
export const changeMetadata = (
  kind: NotedKind,
  name: string,
  base: Tagged<Noted>,
  metadata: MetadataChange,
): Promise<Tagged<Noted>> => patch(pathOf(kind, name), { metadata }, base)
