import type { Connection } from '../connection.ts'
import { CODE_VERSION, type Migration, OWN_MIGRATIONS } from './migration-files.ts'

type Queries = Pick<Connection, 'query'>

/** How far a database's tables are. */
export interface SchemaVersion {
  /** The last migration that it has; one that runs in the background counts from its announcement. */
  version: number
  /** The oldest servers that run on those migrations that the code does not know; 0 if it knows all. */
  worksFrom: number
}

/** @param code the last migration that the asking code knows */
export async function readSchemaVersion(db: Queries, code = CODE_VERSION): Promise<SchemaVersion> {
  const [row] = await db.query<{ version: number; works_from: number }>({
    // Whoever wrote a row without a word about it meant no older servers.
    text: `-- read_schema_version
      SELECT coalesce(max(version), 0) AS version,
        coalesce(max(coalesce(works_from, version)) FILTER (WHERE version > $1), 0) AS works_from
      FROM schema_migrations`,
    values: [code],
    readOnly: true,
  })
  return { version: row?.version ?? 0, worksFrom: row?.works_from ?? 0 }
}

/** Why code with these migrations cannot run on such tables; null if it can. */
export function whyTooNew({ version, worksFrom }: SchemaVersion, code = CODE_VERSION): string | null {
  if (worksFrom <= code) return null
  return `it has migration ${version}, which works with servers from ${worksFrom} on, and this one knows up to ${code}`
}

/** The table of the migrations that were run. Call it in a transaction that alone may do so. */
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
  if (await saysWhatWorks(connection)) return
  // Servers of older versions go on to read it and to add rows.
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

/** Whether the table is there, and as this code has it. */
export async function saysWhatWorks(db: Queries): Promise<boolean> {
  const [row] = await db.query<{ says: boolean }>({
    text: `SELECT EXISTS (
      SELECT FROM pg_attribute
      WHERE attrelid = to_regclass('schema_migrations') AND attname = 'is_done' AND NOT attisdropped
    ) AS says`,
    readOnly: true,
  })
  return row?.says === true
}

export async function noteMigration(
  connection: Queries,
  { version, name, worksFrom }: Migration,
  isDone: boolean,
): Promise<void> {
  await connection.query({
    text: 'INSERT INTO schema_migrations (version, name, works_from, is_done) VALUES ($1, $2, $3, $4)',
    values: [version, name, worksFrom, isDone],
  })
}
