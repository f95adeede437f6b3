import { v7 as uuidv7 } from 'uuid'
import { actorSql } from '../accounts/tokens/actor-store.ts'
import type { WithContract } from '../core/claims/claim.ts'
import type { Contract } from '../core/contracts/contract.ts'
import type { ClaimSchema, ExpectedVersions, SchemaNames, Versioned } from '../core/records.ts'
import { NOW } from '../platform/database/clock.ts'
import type { Connection } from '../platform/database/connection.ts'
import { Parameters } from '../platform/database/parameters.ts'
import { isExpected, versionOf } from '../platform/database/record-version.ts'
import { type Lookup, lookupColumns, lookupRows, plainArray } from '../platform/database/sql-array.ts'
import { MAX_SCHEMA_CONTRACT_BYTES, MAX_VERSIONS } from './limits.ts'

interface ClaimSchemaRow extends SchemaNames {
  id: string
  user_id: string
  version_number: number
  contract: Contract
  reminders: number[] | null
  created_at: Date
  updated_at: Date
}

const COLUMNS = 'id, user_id, version_number, name, description, contract, created_at, updated_at, reminders'
/** The same with the contract as its stored text, which the driver does not parse. */
const COLUMNS_AS_STORED = COLUMNS.replace('contract', 'contract::text')
const VERSION = versionOf(
  'extract(epoch FROM updated_at)',
  'contract',
  'name',
  'description',
  // `version_number` makes the ETag differ after a name is changed and changed back. Reminders are appended to it, so that
  // the ETag of a schema without reminders is the same as before reminders existed.
  "version_number::text || coalesce(reminders::text, '')",
)

const toClaimSchema = <Form>(row: WithContract<ClaimSchemaRow, Form>): WithContract<ClaimSchema, Form> => ({
  id: row.id,
  userId: row.user_id,
  versionNumber: row.version_number,
  name: row.name,
  description: row.description,
  contract: row.contract,
  reminders: row.reminders,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
})

type VersionedRow = Versioned<ClaimSchemaRow>

const toVersioned = (row: VersionedRow): Versioned<ClaimSchema> => ({
  ...toClaimSchema(row),
  version: row.version,
})

/** The fields of a schema that the account sets. */
export type NewSchema = Pick<ClaimSchema, 'contract' | 'name' | 'description' | 'reminders'>

/**
 * Null if the account has `maxSchemas` schemas. Concurrent inserts are not counted, so an account may exceed the limit by the
 * number of connections that write at once.
 * @param tokenHash SHA-256 of the caller's token; null for a session
 */
export async function insertClaimSchema(
  db: Connection,
  userId: string,
  { contract, name, description, reminders }: NewSchema,
  tokenHash: Buffer | null,
  maxSchemas: number,
): Promise<Versioned<ClaimSchema> | null> {
  const [row] = await db.query<VersionedRow>({
    name: 'insert_claim_schema',
    text: `-- insert_claim_schema
      INSERT INTO claim_schemas (user_id, id, contract, created_at, updated_at, name, description, version_at, version_by, reminders)
      SELECT $1, $2, $3, now, now, $5, $6, now, ${actorSql('$7')}, $8::float8[] FROM ${NOW} AS now
      WHERE (SELECT count(*) FROM claim_schemas WHERE user_id = $1) < $4
      RETURNING ${COLUMNS}, ${VERSION} AS version`,
    values: [
      userId,
      uuidv7(),
      JSON.stringify(contract),
      maxSchemas,
      name,
      description,
      tokenHash,
      reminders && plainArray(reminders),
    ],
  })
  return row ? toVersioned(row) : null
}

/** Null if the account has no schema with this id. */
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

/** The contract of a schema and its version. */
export interface ContractOfSchema {
  version: number
  /** The stored JSON. Null if it exceeds the limit together with the contracts before it in the lookup. */
  text: string | null
  reminders: number[] | null
}

/** For each lookup, the contracts of the account's schemas with these ids, by id. */
export async function findContracts(
  db: Connection,
  lookups: readonly Lookup[],
): Promise<Map<string, ContractOfSchema>[]> {
  const found = lookups.map(() => new Map<string, ContractOfSchema>())
  const rows = await db.query<{ lookup: number; id: string } & ContractOfSchema>({
    name: 'find_contracts',
    text: `-- find_contracts
      SELECT lookup, id, version, CASE WHEN bytes <= ${MAX_SCHEMA_CONTRACT_BYTES} THEN contract::text END AS text,
        reminders
      FROM (
        SELECT lookup, id, s.version_number AS version, s.contract, s.reminders,
          sum(octet_length(s.contract::text)) OVER (PARTITION BY lookup ORDER BY place) AS bytes
        FROM ${lookupRows('uuid')} WITH ORDINALITY AS named (lookup, user_id, id, place)
        JOIN claim_schemas s USING (user_id, id)
      ) contracts`,
    values: lookupColumns(lookups),
    readOnly: true,
  })
  for (const { lookup: index, id, ...contract } of rows) found[index]?.set(id, contract)
  return found
}

/** The account's next schemas after a position, oldest first, with contracts as stored text. */
export async function listClaimSchemas(
  db: Connection,
  userId: string,
  after: string,
  limit: number,
): Promise<{ schema: WithContract<ClaimSchema, string>; position: string }[]> {
  const rows = await db.query<WithContract<ClaimSchemaRow, string> & { position: string }>({
    name: 'list_claim_schemas',
    text: `-- list_claim_schemas
      SELECT ${COLUMNS_AS_STORED}, position FROM claim_schemas
      WHERE user_id = $1 AND position > $2 ORDER BY position LIMIT $3`,
    values: [userId, after, limit],
    readOnly: true,
  })
  return rows.map((row) => ({ schema: toClaimSchema(row), position: row.position }))
}

/**
 * Changes the given fields and stores the previous version, in one statement. Existing claims keep their contract. Null if
 * there is no such schema, or not in an expected version.
 *
 * A new version begins only if the contract, the name or the description differs. Reminders are not part of a version. Each
 * change of the contract sets a later `updated_at`, even if the contract is equal, so the ETag changes.
 * @param tokenHash SHA-256 of the caller's token; null for a session
 */
export async function updateClaimSchema(
  db: Connection,
  userId: string,
  id: string,
  { contract, name, description, reminders }: Partial<NewSchema>,
  tokenHash: Buffer | null,
  expected: ExpectedVersions,
): Promise<Versioned<ClaimSchema> | null> {
  const query = new Parameters()
  const user = query.parameter(userId)
  const schema = query.parameter(id)
  const newContract = query.parameter(contract && JSON.stringify(contract))
  const newText = (text: string | null | undefined, column: string) =>
    `CASE WHEN ${query.parameter(text !== undefined)} THEN ${query.parameter(text)} ELSE ${column} END`
  const [row] = await db.query<VersionedRow>({
    name: 'update_claim_schema',
    // Locks the row first, so that a change that waited for another change starts from its result.
    text: `-- update_claim_schema
      WITH locked AS MATERIALIZED (
        SELECT contract, name, description, version_number, coalesce(version_at, updated_at) AS version_at, version_by,
          coalesce(${newContract}::json, contract) AS new_contract,
          ${newText(name, 'name')} AS new_name,
          ${newText(description, 'description')} AS new_description
        FROM claim_schemas WHERE user_id = ${user} AND id = ${schema} AND ${isExpected(VERSION, query.parameter(expected))} FOR UPDATE
      ), compared AS MATERIALIZED (
        SELECT locked.*, contract::text <> new_contract::text OR name IS DISTINCT FROM new_name
          OR description IS DISTINCT FROM new_description AS is_new_version FROM locked
      ), stored AS (
        INSERT INTO claim_schema_versions (user_id, schema_id, number, contract, name, description, created_at, made_by)
        SELECT ${user}, ${schema}, version_number, contract, name, description, version_at, version_by FROM compared
        WHERE is_new_version
      ), deleted AS (
        DELETE FROM claim_schema_versions v USING compared WHERE is_new_version AND v.user_id = ${user} AND v.schema_id = ${schema}
          AND v.number <= compared.version_number + 1 - ${MAX_VERSIONS}
      )
      UPDATE claim_schemas SET
        contract = new_contract,
        updated_at = CASE WHEN ${newContract} IS NULL THEN updated_at
          ELSE greatest(${NOW}, updated_at + interval '1 millisecond') END,
        name = new_name,
        description = new_description,
        reminders = CASE WHEN ${query.parameter(reminders !== undefined)}
          THEN ${query.parameter(reminders && plainArray(reminders))}::float8[] ELSE reminders END,
        version_number = version_number + is_new_version::integer,
        version_at = CASE WHEN is_new_version THEN ${NOW} ELSE made_at END,
        version_by = CASE WHEN is_new_version THEN ${actorSql(query.parameter(tokenHash))} ELSE version_by END
      FROM (SELECT new_contract, new_name, new_description, is_new_version, version_at AS made_at FROM compared) AS change
      WHERE user_id = ${user} AND id = ${schema} RETURNING ${COLUMNS}, ${VERSION} AS version`,
    values: query.values,
  })
  return row ? toVersioned(row) : null
}

/** Also deletes its versions. Returns false if there is no such schema, or not in an expected version. */
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
