import { createHash } from 'node:crypto'
import type { Metadata } from '../../kernel/metadata.ts'
import type { ColumnList } from './columns.ts'
import type { Connection } from './connection.ts'
import { MAX_LOCK_WAIT, MAX_SHORT_METADATA_BYTES, METADATA_IDLE_TIMEOUT } from './limits.ts'
import { ifShort, plainArray } from './sql-array.ts'

/*
 * Metadata is a column of its record. For searches, a second table has a row for each pair of key and value, with a hash of the
 * pair. A record without metadata has no such rows. Changes of a claim's state touch neither.
 */

/** The tables of the pairs. Candidates are in the table of claims. */
export const PAIRS = {
  claims: { table: 'claim_metadata', owner: 'claim_id' },
  customers: { table: 'customer_metadata', owner: 'customer_id' },
} as const
type Owners = keyof typeof PAIRS
type Kind = 'claim' | 'candidate' | 'customer'

/** SQL for a record's metadata as text. */
export const METADATA = "coalesce(metadata::text, '{}')"
/** The same, but null if it is long. */
export const METADATA_IF_SHORT = `CASE WHEN metadata IS NULL THEN '{}' ELSE ${ifShort('metadata', MAX_SHORT_METADATA_BYTES)} END`

export interface MetadataColumns {
  /** JSON; null if there is no metadata. */
  metadata: string | null
  /** An array of PostgreSQL with the hashes of the pairs. */
  pairs: string
}

/** @param kind of the record: a list has records of one kind */
export function metadataColumns(userId: string, kind: Kind, metadata: Metadata): MetadataColumns {
  const pairs = pairsOf(userId, kind, metadata)
  return { metadata: pairs.length === 0 ? null : JSON.stringify(metadata), pairs: plainArray(pairs) }
}

/** The hash of a pair of key and value: 64 bits, so that collisions within an account do not occur in practice. */
export function pairOf(userId: string, kind: Kind, key: string, value: string): string {
  const digest = createHash('sha256')
    .update(JSON.stringify([userId, kind, key, value]))
    .digest()
  return digest.readBigInt64BE(0).toString()
}

/** The columns of new records for `addPairs` and for the record's row. */
export const METADATA_COLUMNS = {
  metadata: ['jsonb', ({ metadata }) => metadata],
  pairs: ['text', ({ pairs }) => pairs],
} satisfies ColumnList<MetadataColumns>

/**
 * SQL for whether a record has all of these pairs. It compares hashes only: values may be long. A row with another position is left
 * from a removed claim with the same id, which a server of an older version removed.
 */
export function hasPairs(
  owners: Owners,
  pairs: readonly string[],
  parameter: (pair: string) => string,
): string {
  const { table, owner } = PAIRS[owners]
  const probes = pairs.map(
    (pair) =>
      `(SELECT true FROM ${table} AS p WHERE p.${owner} = ${owners}.id AND p.pair = ${parameter(pair)}::bigint
          AND p.position = ${owners}.position) IS NOT NULL`,
  )
  return ['metadata IS NOT NULL', ...probes].join(' AND ')
}

/** The distinct hashes of all pairs. */
export const pairsOf = (userId: string, kind: Kind, metadata: Metadata): string[] => [
  ...new Set(Object.entries(metadata).map(([key, value]) => pairOf(userId, kind, key, value))),
]

/** Replaces rows that are left from a removed claim: see `hasPairs`. */
const replaceLeftovers = (owners: Owners) =>
  `ON CONFLICT (${PAIRS[owners].owner}, pair) DO UPDATE SET position = excluded.position`

/**
 * SQL that adds the pairs of rows that have `user_id`, `position`, `id` and `pairs`.
 * @param table a shard's own
 */
export const addPairs = (owners: Owners, rows: string, table: string = PAIRS[owners].table): string =>
  `INSERT INTO ${table} (user_id, pair, position, ${PAIRS[owners].owner})
        SELECT user_id, unnest(pairs::bigint[]), position, id FROM (${rows}) AS r
        ${replaceLeftovers(owners)}`

/**
 * For a transaction that locks a record and sends further statements: limits how long it waits for locks, and how long others wait
 * if its server stops answering. SET LOCAL reaches the node that has the record.
 */
export async function holdBriefly(db: Connection): Promise<void> {
  await db.query({ text: `SET LOCAL lock_timeout = '${MAX_LOCK_WAIT}'` })
  await db.query({ text: `SET LOCAL idle_in_transaction_session_timeout = '${METADATA_IDLE_TIMEOUT}'` })
}

/** Replaces the pairs of a record after its metadata has changed. The caller has locked the record. */
export async function replacePairs(
  db: Connection,
  owners: Owners,
  { userId, position, id }: { userId: string; position: string; id: string },
  pairs: string,
): Promise<void> {
  const { table, owner } = PAIRS[owners]
  await db.query({
    name: `remove_pairs_of_${owners}`,
    text: `-- remove_pairs_of_${owners}
      DELETE FROM ${table} WHERE ${owner} = $1 AND pair <> ALL ($2::bigint[])`,
    values: [id, pairs],
  })
  if (pairs === '{}') return
  await db.query({
    name: `add_pairs_of_${owners}`,
    text: `-- add_pairs_of_${owners}
      INSERT INTO ${table} (user_id, pair, position, ${owner})
      SELECT $2, pair, $3, $1 FROM unnest($4::bigint[]) AS pair ${replaceLeftovers(owners)}`,
    values: [id, userId, position, pairs],
  })
}
