import type { Connection } from '../platform/database/connection.ts'
import { plainArray } from '../platform/database/sql-array.ts'

/** What a claim or candidate was created with, and when. */
export interface Creation {
  id: string
  createdAt: Date
  schemaId: string | null
  schemaVersion: number | null
  /** Of the key that it was created with. */
  seed: string | null
  /** Hexadecimal; null of a claim of an older version. */
  contractHash: string | null
}

/** Those of the account's claims and candidates that have these ids, by id. */
export async function findCreations(
  db: Connection,
  userId: string,
  ids: readonly string[],
): Promise<Map<string, Creation>> {
  const rows = await db.query<{
    id: string
    created_at: Date
    schema_id: string | null
    schema_version: number | null
    seed: string | null
    contract_hash: string | null
  }>({
    name: 'find_creations',
    text: `-- find_creations
      SELECT id, created_at, schema_id, schema_version, seed, encode(contract_hash, 'hex') AS contract_hash
      FROM claims WHERE id = ANY ($1::uuid[]) AND user_id = $2`,
    values: [plainArray(ids), userId],
    readOnly: true,
  })
  return new Map(
    rows.map((row) => [
      row.id,
      {
        id: row.id,
        createdAt: row.created_at,
        schemaId: row.schema_id,
        schemaVersion: row.schema_version,
        seed: row.seed,
        contractHash: row.contract_hash,
      },
    ]),
  )
}

/** The stored contracts with these hashes, as JSON, by hash: the first ones, as long as they have no more bytes together. */
export async function readStoredContracts(
  db: Connection,
  hashes: readonly string[],
  mostBytes: number,
): Promise<Map<string, string>> {
  const rows = await db.query<{ hash: string; document: string }>({
    name: 'read_stored_contracts',
    text: `-- read_stored_contracts
      SELECT encode(hash, 'hex') AS hash, document::text AS document
      FROM (SELECT hash, document, sum(bytes) OVER (ORDER BY hash) AS sum FROM contracts WHERE hash = ANY ($1::bytea[])) AS found
      WHERE sum <= $2`,
    values: [hashes.map((hash) => `\\x${hash}`), mostBytes],
    readOnly: true,
  })
  return new Map(rows.map(({ hash, document }) => [hash, document]))
}
