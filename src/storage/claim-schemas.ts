import { v7 as uuidv7 } from 'uuid'
import type { Contract } from '../domain/contract/contract.ts'
import type { ClaimSchema, ExpectedVersions, SchemaNames, Versioned } from '../domain/records.ts'
import { type AskedNames, askedColumns } from './database/asked-names.ts'
import { NOW } from './database/clock.ts'
import type { Connection } from './database/connection.ts'
import { isExpected, versionOf } from './record-version.ts'

interface ClaimSchemaRow extends SchemaNames {
  id: string
  user_id: string
  contract: Contract
  created_at: Date
  updated_at: Date
}

const COLUMNS = 'id, user_id, name, description, contract, created_at, updated_at'
const VERSION = versionOf('extract(epoch FROM updated_at)', 'contract', 'name', 'description')

const toClaimSchema = (row: ClaimSchemaRow): ClaimSchema => ({
  id: row.id,
  userId: row.user_id,
  name: row.name,
  description: row.description,
  contract: row.contract,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
})

type VersionedRow = Versioned<ClaimSchemaRow>

const toVersioned = (row: VersionedRow): Versioned<ClaimSchema> => ({
  ...toClaimSchema(row),
  version: row.version,
})

/** What the account says of a schema. */
export type NewSchema = Pick<ClaimSchema, 'contract' | 'name' | 'description'>

/**
 * Null if the account has as many as it may. Those that are being added at the same moment are not counted: an
 * account may come to have a few more, as many as connections write at once.
 */
export async function insertClaimSchema(
  db: Connection,
  userId: string,
  { contract, name, description }: NewSchema,
  most: number,
): Promise<Versioned<ClaimSchema> | null> {
  const [row] = await db.query<VersionedRow>({
    name: 'insert_claim_schema',
    text: `-- insert_claim_schema
      INSERT INTO claim_schemas (user_id, id, contract, created_at, updated_at, name, description)
      SELECT $1, $2, $3, now, now, $5, $6 FROM ${NOW} AS now
      WHERE (SELECT count(*) FROM claim_schemas WHERE user_id = $1) < $4
      RETURNING ${COLUMNS}, ${VERSION} AS version`,
    values: [userId, uuidv7(), JSON.stringify(contract), most, name, description],
  })
  return row ? toVersioned(row) : null
}

/** Null if the account has none with this id. */
export async function findClaimSchema(
  db: Connection,
  userId: string,
  id: string,
): Promise<Versioned<ClaimSchema> | null> {
  const [row] = await db.query<VersionedRow>({
    name: 'find_claim_schema',
    text: `-- find_claim_schema
      SELECT ${COLUMNS}, ${VERSION} AS version FROM claim_schemas WHERE user_id = $1 AND id = $2`,
    values: [userId, id],
    readOnly: true,
  })
  return row ? toVersioned(row) : null
}

/** Bytes of contracts that are read together: as objects they take up to thirty times as much. */
export const MOST_CONTRACT_BYTES = 2 * 1024 * 1024

/**
 * Of each, the contracts of those of the account's schemas that have these ids, by id, as they are stored; null for one
 * that has too many bytes with those named before it.
 */
export async function findContracts(
  db: Connection,
  asked: readonly AskedNames[],
): Promise<Map<string, string | null>[]> {
  const found = asked.map(() => new Map<string, string | null>())
  const rows = await db.query<{ asking: number; id: string; contract: string | null }>({
    name: 'find_contracts',
    text: `-- find_contracts
      SELECT asking, id, CASE WHEN bytes <= ${MOST_CONTRACT_BYTES} THEN contract::text END AS contract
      FROM (
        SELECT asking, id, s.contract,
          sum(octet_length(s.contract::text)) OVER (PARTITION BY asking ORDER BY place) AS bytes
        FROM unnest($1::integer[], $2::uuid[], $3::uuid[]) WITH ORDINALITY AS named (asking, user_id, id, place)
        JOIN claim_schemas s USING (user_id, id)
      ) contracts`,
    values: askedColumns(asked),
    readOnly: true,
  })
  for (const { asking, id, contract } of rows) found[asking]?.set(id, contract)
  return found
}

/** The account's next schemas after a position, oldest first. */
export async function listClaimSchemas(
  db: Connection,
  userId: string,
  after: string,
  limit: number,
): Promise<{ schema: ClaimSchema; position: string }[]> {
  const rows = await db.query<ClaimSchemaRow & { position: string }>({
    name: 'list_claim_schemas',
    text: `-- list_claim_schemas
      SELECT ${COLUMNS}, position FROM claim_schemas
      WHERE user_id = $1 AND position > $2 ORDER BY position LIMIT $3`,
    values: [userId, after, limit],
    readOnly: true,
  })
  return rows.map((row) => ({ schema: toClaimSchema(row), position: row.position }))
}

/**
 * Changes what is given; claims made from the schema keep their contract. Null if there is no such schema, or none of a
 * version that is expected. Two contracts never have the same time, so the same contract once more is another version.
 */
export async function updateClaimSchema(
  db: Connection,
  userId: string,
  id: string,
  { contract, name, description }: Partial<NewSchema>,
  expected: ExpectedVersions,
): Promise<Versioned<ClaimSchema> | null> {
  const [row] = await db.query<VersionedRow>({
    name: 'update_claim_schema',
    text: `-- update_claim_schema
      UPDATE claim_schemas SET
        contract = coalesce($3, contract),
        updated_at = CASE WHEN $3 IS NULL THEN updated_at
          ELSE greatest(${NOW}, updated_at + interval '1 millisecond') END,
        name = CASE WHEN $5 THEN $6 ELSE name END,
        description = CASE WHEN $7 THEN $8 ELSE description END
      WHERE user_id = $1 AND id = $2 AND ${isExpected(VERSION, '$4')} RETURNING ${COLUMNS}, ${VERSION} AS version`,
    values: [
      userId,
      id,
      contract && JSON.stringify(contract),
      expected,
      name !== undefined,
      name,
      description !== undefined,
      description,
    ],
  })
  return row ? toVersioned(row) : null
}

/** False if there is no such schema, or none of a version that is expected. */
export async function deleteClaimSchema(
  db: Connection,
  userId: string,
  id: string,
  expected: ExpectedVersions,
): Promise<boolean> {
  const rows = await db.query({
    name: 'delete_claim_schema',
    text: `-- delete_claim_schema
      DELETE FROM claim_schemas WHERE user_id = $1 AND id = $2 AND ${isExpected(VERSION, '$3')} RETURNING id`,
    values: [userId, id, expected],
  })
  return rows.length === 1
}
