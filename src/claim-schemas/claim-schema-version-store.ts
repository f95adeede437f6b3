import type { Actor, SchemaVersion } from '../core/records.ts'
import type { Connection } from '../platform/database/connection.ts'
import { MAX_VERSIONS } from './limits.ts'

interface SchemaVersionRow extends Pick<SchemaVersion, 'number' | 'contract' | 'name' | 'description'> {
  schema_id: string
  created_at: Date
  made_by: Actor | null
}

const toSchemaVersion = ({ schema_id, created_at, made_by, ...row }: SchemaVersionRow): SchemaVersion => ({
  ...row,
  schemaId: schema_id,
  createdAt: created_at,
  madeBy: made_by,
})

/** The schema's own row has the current version. Excludes versions older than the last `MAX_VERSIONS`, which may still be stored. */
const VERSIONS = `(
        SELECT id AS schema_id, version_number AS number, contract::text, name, description,
          coalesce(version_at, updated_at) AS created_at, version_by AS made_by
        FROM claim_schemas WHERE user_id = $1 AND id = $2
        UNION ALL
        SELECT v.schema_id, v.number, v.contract::text, v.name, v.description, v.created_at, v.made_by
        FROM claim_schema_versions v JOIN claim_schemas s ON s.user_id = v.user_id AND s.id = v.schema_id
        WHERE v.user_id = $1 AND v.schema_id = $2 AND v.number > s.version_number - ${MAX_VERSIONS}
      ) AS versions`

/** The schema's next versions below a number, newest first. An existing schema has at least one version. */
export async function listSchemaVersions(
  db: Connection,
  userId: string,
  schemaId: string,
  below: number,
  limit: number,
): Promise<SchemaVersion[]> {
  const rows = await db.query<SchemaVersionRow>({
    name: 'list_claim_schema_versions',
    text: `-- list_claim_schema_versions
      SELECT schema_id, number, contract, name, description, created_at, made_by FROM ${VERSIONS}
      WHERE number < $3::bigint ORDER BY number DESC LIMIT $4`,
    values: [userId, schemaId, below, limit],
    readOnly: true,
  })
  return rows.map(toSchemaVersion)
}

/** Null if the version does not exist or was deleted. */
export async function findSchemaVersion(
  db: Connection,
  userId: string,
  schemaId: string,
  number: number,
): Promise<SchemaVersion | null> {
  const [row] = await db.query<SchemaVersionRow>({
    name: 'find_claim_schema_version',
    text: `-- find_claim_schema_version
      SELECT schema_id, number, contract, name, description, created_at, made_by FROM ${VERSIONS} WHERE number = $3`,
    values: [userId, schemaId, number],
    readOnly: true,
  })
  return row ? toSchemaVersion(row) : null
}
