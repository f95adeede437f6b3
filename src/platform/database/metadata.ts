import { createHash } from 'node:crypto'
import type { Metadata } from '../../kernel/metadata.ts'
import type { ColumnList } from './columns.ts'
import type { Connection } from './connection.ts'
import { LONGEST_LOCK_WAIT } from './lists/list-page.ts'
import { ifShort, plainArray } from './sql-array.ts'

/*
 * Metadata stands in its record's row, and in a table beside it each key with its value has a number, by which lists find
 * the record. What has no metadata pays nothing, and what becomes of a record touches neither.
 */

/** Where the pairs of claims and candidates, and of customers, are. */
export const PAIRS = {
  claims: { table: 'claim_metadata', owner: 'claim_id' },
  customers: { table: 'customer_metadata', owner: 'customer_id' },
} as const
type Owners = keyof typeof PAIRS
type Kind = 'claim' | 'candidate' | 'customer'

/** For so long a server that falls silent between two statements of a change keeps the record. */
const LONGEST_SILENCE = '2s'
/** Bytes of metadata that are not long. */
const SHORT = 1024
/** SQL for a record's metadata as text. */
export const METADATA = "coalesce(metadata::text, '{}')"
/** The same, but null if it is long. */
export const METADATA_IF_SHORT = `CASE WHEN metadata IS NULL THEN '{}' ELSE ${ifShort('metadata', SHORT)} END`

/** As it is stored. */
export interface MetadataColumns {
  /** JSON; null for nothing. */
  metadata: string | null
  /** An array of numbers. */
  pairs: string
}

/** @param kind of the record, since lists are of one kind */
export function metadataColumns(userId: string, kind: Kind, metadata: Metadata): MetadataColumns {
  const pairs = pairsOf(userId, kind, metadata)
  return { metadata: pairs.length === 0 ? null : JSON.stringify(metadata), pairs: plainArray(pairs) }
}

/** The number of a key with its value: 64 bits of a digest, so that no two of an account share one. */
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
 * SQL for whether a record has each of these pairs; the values themselves may be long, and are not read. An entry with
 * another position is of a claim that had its id before, and that a server of an older version removed.
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

/** The numbers of all pairs, each once. */
export const pairsOf = (userId: string, kind: Kind, metadata: Metadata): string[] => [
  ...new Set(Object.entries(metadata).map(([key, value]) => pairOf(userId, kind, key, value))),
]

/** An entry may be there that was left behind: see `hasPairs`. */
const takeOver = (owners: Owners) =>
  `ON CONFLICT (${PAIRS[owners].owner}, pair) DO UPDATE SET position = excluded.position`

/**
 * SQL that adds the pairs of rows that have `user_id`, `position`, `id` and `pairs`.
 * @param table a shard's own
 */
export const addPairs = (owners: Owners, rows: string, table: string = PAIRS[owners].table): string =>
  `INSERT INTO ${table} (user_id, pair, position, ${PAIRS[owners].owner})
        SELECT user_id, unnest(pairs::bigint[]), position, id FROM (${rows}) AS r
        ${takeOver(owners)}`

/**
 * For a transaction that holds a record while it asks for more: it waits for others no longer, and they for it, than is said here.
 * SET LOCAL reaches the machine that has the record.
 */
export async function holdBriefly(db: Connection): Promise<void> {
  await db.query({ text: `SET LOCAL lock_timeout = '${LONGEST_LOCK_WAIT}'` })
  await db.query({ text: `SET LOCAL idle_in_transaction_session_timeout = '${LONGEST_SILENCE}'` })
}

/** Of a record whose metadata has changed, and whose row is locked. */
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
      SELECT $2, pair, $3, $1 FROM unnest($4::bigint[]) AS pair ${takeOver(owners)}`,
    values: [id, userId, position, pairs],
  })
}
