import type { Connection } from '../connection.ts'
import { CODE_VERSION, type Migration, OWN_MIGRATIONS } from './migration-files.ts'

type Queries = Pick<Connection, 'query'>

/** The version of a database's tables. */
interface SchemaVersion {
  /** The last recorded migration. A background migration is recorded before it runs. */
  version: number
  /**
   * A server must have at least this migration to run on the database. It is computed only from migrations that the code does
   * not have, and 0 if there are none.
   */
  worksFrom: number
}

/** @param codeVersion the last migration of the code */
export async function readSchemaVersion(db: Queries, codeVersion = CODE_VERSION): Promise<SchemaVersion> {
  const [row] = await db.query<{ version: number; works_from: number }>({
    // Old servers insert rows without works_from. Such a migration requires servers that have it.
    text: `-- read_schema_version
      SELECT coalesce(max(version), 0) AS version,
        coalesce(max(coalesce(works_from, version)) FILTER (WHERE version > $1), 0) AS works_from
      FROM schema_migrations`,
    values: [codeVersion],
    readOnly: true,
  })
  return { version: row?.version ?? 0, worksFrom: row?.works_from ?? 0 }
}

/** Why code of this version cannot run on the database; null if it can. */
export function incompatibilityReason(
  { version, worksFrom }: SchemaVersion,
  codeVersion = CODE_VERSION,
): string | null {
  if (worksFrom <= codeVersion) return null
  return `it has migration ${version}, which requires servers with migration ${worksFrom} or later, and this server has migrations up to ${codeVersion}`
}

/** Creates or extends the version table. Requires the migration lock. */
export async function prepareVersionTable(
  connection: Queries,
  migrations: readonly Migration[] = OWN_MIGRATIONS,
): Promise<void> {
  await connection.query({
    text: `CREATE TABLE IF NOT EXISTS schema_migrations (
      version integer PRIMARY KEY,
      name text NOT NULL,
      applied_at timestamptz NOT NULL DEFAULT clock_timestamp()
    )`,
  })
  if (await hasCompatibilityColumns(connection)) return
  // Old servers still insert rows without these columns, so the columns are nullable or have a default.
  await connection.query({
    text: `ALTER TABLE schema_migrations ADD COLUMN works_from integer,
      ADD COLUMN is_done boolean NOT NULL DEFAULT true`,
  })
  await connection.query({
    text: `UPDATE schema_migrations s SET works_from = known.works_from
      FROM unnest($1::integer[], $2::integer[]) AS known (version, works_from) WHERE s.version = known.version`,
    values: [migrations.map(({ version }) => version), migrations.map(({ worksFrom }) => worksFrom)],
  })
}

/** Whether the version table exists with the columns of this code. */
export async function hasCompatibilityColumns(db: Queries): Promise<boolean> {
  const [row] = await db.query<{ found: boolean }>({
    text: `SELECT EXISTS (
      SELECT FROM pg_attribute
      WHERE attrelid = to_regclass('schema_migrations') AND attname = 'is_done' AND NOT attisdropped
    ) AS found`,
    readOnly: true,
  })
  return row?.found === true
}

export async function recordMigration(
  connection: Queries,
  { version, name, worksFrom }: Migration,
  isDone: boolean,
): Promise<void> {
  await connection.query({
    text: 'INSERT INTO schema_migrations (version, name, works_from, is_done) VALUES ($1, $2, $3, $4)',
    values: [version, name, worksFrom, isDone],
  })
}
