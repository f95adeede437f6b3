import { createHash } from 'node:crypto'
import type { Metadata } from '../domain/metadata.ts'
import { ifShort } from './database/short-json.ts'
import { plainArray } from './database/sql-array.ts'
import type { ListQuery } from './lists/list-query.ts'

/** Bytes of metadata that are not long. */
const SHORT = 1024
/** SQL for a record's metadata as text. */
export const METADATA = "coalesce(metadata::text, '{}')"
/** The same, but null if it is long. */
export const METADATA_IF_SHORT = `CASE WHEN metadata IS NULL THEN '{}' ELSE ${ifShort('metadata', SHORT)} END`

/** As its two columns hold it; null for nothing. */
export interface MetadataColumns {
  /** JSON. */
  metadata: string | null
  /** An array of numbers (`pairOf`), the same for the same metadata. */
  metadataPairs: string | null
}

export function metadataColumns(userId: string, metadata: Metadata): MetadataColumns {
  const entries = Object.entries(metadata)
  if (entries.length === 0) return { metadata: null, metadataPairs: null }
  const pairs = entries.map(([key, value]) => pairOf(userId, key, value)).sort()
  return { metadata: JSON.stringify(metadata), metadataPairs: plainArray(pairs) }
}

/** Of each record, as columns of parameters; empty if none of them has any, which SQL fills up with NULL. */
export function metadataParameters(records: readonly MetadataColumns[]): unknown[] {
  const have = records.some(({ metadata }) => metadata !== null)
  return have
    ? [records.map(({ metadata }) => metadata), records.map(({ metadataPairs }) => metadataPairs)]
    : [[], []]
}

/** Adds that a record of the account has all of these. */
export function whereMetadata(query: ListQuery, userId: string, metadata: Metadata): string {
  const columns = metadataColumns(userId, metadata)
  // The numbers are what the index has; two pairs in a great many could share one.
  return `metadata_pairs @> ${query.parameter(columns.metadataPairs)}::bigint[]
    AND metadata @> ${query.parameter(columns.metadata)}::jsonb`
}

/** The number of a key with its value, by the account: what accounts have in common is found of each by itself. */
function pairOf(userId: string, key: string, value: string): string {
  const digest = createHash('sha256')
    .update(JSON.stringify([userId, key, value]))
    .digest()
  return digest.readBigInt64BE(0).toString()
}
