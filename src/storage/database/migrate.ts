import { readdir, readFile } from 'node:fs/promises'
import { OperatorError } from '../../operator-error.ts'
import { MIGRATIONS } from './advisory-locks.ts'
import type { Connection } from './connection.ts'
import type { Borrower } from './lending/borrower.ts'

const FOLDER = new URL('../migrations/', import.meta.url)
const OLDEST_POSTGRES = 15

interface Migration {
  version: number
  name: string
  file: URL
}

/**
 * Brings the database to the version of this code, in one transaction: all migrations or none. Servers that
 * start together take turns. Reports each migration that it runs. Give it a database whose statements may
 * take as long as they need.
 * @throws OperatorError if the database is newer than the code, or PostgreSQL too old.
 */
export async function migrate(
  db: Pick<Borrower, 'transaction'>,
  report: (step: string) => void,
): Promise<void> {
  const migrations = await readMigrations()
  await db.transaction(async (connection) => {
    await requirePostgres(connection)
    await connection.query({ text: `SELECT pg_advisory_xact_lock(${MIGRATIONS})` })
    const current = await prepareVersionTable(connection)
    requireKnownVersion(current, migrations)
    for (const migration of migrations.filter(({ version }) => version > current)) {
      report(`Migrating the database: ${migration.name}`)
      await connection.query({ text: await readFile(migration.file, 'utf8') })
      await connection.query({
        text: 'INSERT INTO schema_migrations (version, name) VALUES ($1, $2)',
        values: [migration.version, migration.name],
      })
    }
  })
}

/** Whether anything of Claimkeeper is in the database, of whatever version. */
export async function hasVersionTable(db: Connection): Promise<boolean> {
  const [row] = await db.query<{ found: boolean }>({
    text: "SELECT to_regclass('schema_migrations') IS NOT NULL AS found",
    readOnly: true,
  })
  return row?.found === true
}

/** Whether the database is reachable and has every migration of this code; a newer server may have added more. */
export async function isMigrated(db: Connection): Promise<boolean> {
  const migrations = await readMigrations()
  return (await migrationVersion(db)) >= (migrations.at(-1)?.version ?? 0)
}

/** The last migration that the database has; 0 for none. */
export async function migrationVersion(db: Connection): Promise<number> {
  const [row] = await db.query<{ version: number | null }>({
    text: 'SELECT max(version) AS version FROM schema_migrations',
    readOnly: true,
  })
  return row?.version ?? 0
}

async function readMigrations(): Promise<Migration[]> {
  const names = (await readdir(FOLDER)).filter((name) => name.endsWith('.sql')).sort()
  return names.map((name) => ({ version: Number.parseInt(name, 10), name, file: new URL(name, FOLDER) }))
}

async function requirePostgres(connection: Connection): Promise<void> {
  const [row] = await connection.query<{ number: number; version: string }>({
    text: `SELECT current_setting('server_version_num')::int AS number, current_setting('server_version') AS version`,
  })
  if (row && row.number < OLDEST_POSTGRES * 10_000) {
    throw new OperatorError(
      `PostgreSQL ${OLDEST_POSTGRES} or newer is needed; DATABASE_URL names a ${row.version}.`,
    )
  }
}

async function prepareVersionTable(connection: Connection): Promise<number> {
  await connection.query({
    text: `CREATE TABLE IF NOT EXISTS schema_migrations (
      version integer PRIMARY KEY,
      name text NOT NULL,
      applied_at timestamptz NOT NULL DEFAULT clock_timestamp()
    )`,
  })
  const [row] = await connection.query<{ version: number }>({
    text: 'SELECT coalesce(max(version), 0) AS version FROM schema_migrations',
  })
  return row?.version ?? 0
}

function requireKnownVersion(current: number, migrations: Migration[]): void {
  const newest = migrations.at(-1)?.version ?? 0
  if (current > newest) {
    throw new OperatorError(
      `The database is newer than this Claimkeeper: it has migration ${current}, this code knows up to ${newest}. Run the newer version.`,
    )
  }
}
