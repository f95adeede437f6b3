import { setTimeout as pause } from 'node:timers/promises'
import { OperatorError } from '../../../kernel/operator-error.ts'
import { MIGRATIONS } from '../advisory-locks.ts'
import type { Connection } from '../connection.ts'
import { isTransient } from '../database-unavailable.ts'
import {
  MIGRATION_LOCK_ATTEMPTS_PER_REPORT,
  MIGRATION_LOCK_RETRY_MS,
  MIGRATION_MAX_PAUSE_MS,
  MIGRATION_MIN_PAUSE_MS,
  MIGRATION_TABLE_LOCK_TIMEOUT_MS,
  MIGRATION_TIMEOUT_MS,
} from '../limits.ts'
import type { PooledConnection } from '../pool/pooled-connection.ts'
import { type Migration, OWN_MIGRATIONS, versionOf } from './migration-files.ts'
import { hasVersionTable, requireOwnTables } from './own-tables.ts'
import {
  hasCompatibilityColumns,
  incompatibilityReason,
  prepareVersionTable,
  readSchemaVersion,
  recordMigration,
} from './schema-version.ts'

export const OLDEST_POSTGRES = 15
/** In other encodings PostgreSQL refuses some characters of requests or does not distinguish them. */
export const ENCODING = 'UTF8'
export const ENCODING_ADVICE = `It must be ${ENCODING}: CREATE DATABASE … ENCODING '${ENCODING}' TEMPLATE template0. To move the claims of the old database, use claimkeeper backup and restore.`

/** SQLSTATEs duplicate_table, duplicate_object and duplicate_function. */
const DUPLICATE_NAME = ['42P07', '42710', '42723']

/** Connections without a statement timeout. */
type Migrating = Pick<PooledConnection, 'query' | 'transaction'>

/** The result of an attempt to run the next migration. */
type Outcome = 'done' | 'another server migrates' | 'other transactions hold locks'

/**
 * Migrates the database to the version of this code, each migration in a transaction of its own. One server at a time migrates.
 * Background migrations are only recorded, and run later by `background-migrations.ts`; on a new database they run at once. Reports
 * each migration.
 * @throws OperatorError if the database is too new for the code, is not in UTF-8 or has tables of another program, if PostgreSQL is too
 * old, or if other transactions hold a lock, or another server makes no progress, for MIGRATION_TIMEOUT_MS
 */
export async function migrate(
  db: Migrating,
  report: (step: string) => void,
  migrations = OWN_MIGRATIONS,
): Promise<void> {
  await requireServer(db)
  await requireOwnTables(db, migrations)
  const isNew = (await lastMigration(db)) === 0
  let deadline = performance.now() + MIGRATION_TIMEOUT_MS
  let lockTimeouts = 0
  let attempts = 0
  let last = 0
  const reportWait = async (reason: Outcome): Promise<void> => {
    const holder = await oldestTransaction(db)
    if (performance.now() > deadline) {
      throw new OperatorError(`The database could not be migrated: ${reason}. ${holder}`)
    }
    report(`Migrating the database: ${reason}. Trying again. ${holder}`)
  }
  while (await isBehind(db, migrations)) {
    const outcome = await runNext(db, report, { migrations, isNew })
    if (outcome === 'done') {
      deadline = performance.now() + MIGRATION_TIMEOUT_MS
      lockTimeouts = 0
    } else if (outcome === 'another server migrates') {
      attempts++
      if (attempts % MIGRATION_LOCK_ATTEMPTS_PER_REPORT === 0) {
        // Progress of the other server extends the deadline.
        const now = await lastMigration(db)
        if (now > last) deadline = performance.now() + MIGRATION_TIMEOUT_MS
        last = now
        await reportWait(outcome)
      }
      await pause(MIGRATION_LOCK_RETRY_MS)
    } else {
      await reportWait(outcome)
      const backoff = Math.min(MIGRATION_MIN_PAUSE_MS * 2 ** lockTimeouts++, MIGRATION_MAX_PAUSE_MS)
      await pause(backoff * (0.5 + Math.random() / 2))
    }
  }
}

/** The last migration of the database, also if an older version migrated it; 0 for none. */
export const lastMigration = async (db: Pick<Connection, 'query'>): Promise<number> =>
  (await hasCompatibilityColumns(db)) ? (await readSchemaVersion(db)).version : await oldVersion(db)

/** The last migration of a database whose version table has no compatibility columns. */
async function oldVersion(db: Pick<Connection, 'query'>): Promise<number> {
  if (!(await hasVersionTable(db))) return 0
  const [row] = await db.query<{ version: number | null }>({
    text: 'SELECT max(version) AS version FROM schema_migrations',
    readOnly: true,
  })
  return row?.version ?? 0
}

/** Takes no lock, so that a server whose database is up to date waits for no other server. */
async function isBehind(db: Migrating, migrations: readonly Migration[]): Promise<boolean> {
  return !(await hasCompatibilityColumns(db)) || (await nextOf(db, migrations)) !== undefined
}

/** @throws OperatorError if the database is too new */
async function nextOf(
  db: Pick<Connection, 'query'>,
  migrations: readonly Migration[],
): Promise<Migration | undefined> {
  const codeVersion = versionOf(migrations)
  const schema = await readSchemaVersion(db, codeVersion)
  const reason = incompatibilityReason(schema, codeVersion)
  if (reason)
    throw new OperatorError(`The database is newer than this Claimkeeper: ${reason}. Run the newer version.`)
  return migrations.find(({ version }) => version > schema.version)
}

async function runNext(
  db: Migrating,
  report: (step: string) => void,
  { migrations, isNew }: { migrations: readonly Migration[]; isNew: boolean },
): Promise<Outcome> {
  try {
    return await db.transaction(async (connection) => {
      if (!(await tryMigrationLock(connection))) return 'another server migrates'
      await connection.query({ text: `SET LOCAL lock_timeout = ${MIGRATION_TABLE_LOCK_TIMEOUT_MS}` })
      await prepareVersionTable(connection, migrations)
      const next = await nextOf(connection, migrations)
      if (!next) return 'done'
      const isLater = next.background !== null && !isNew
      report(`Migrating the database: ${next.name}${isLater ? ' (in the background, after the start)' : ''}`)
      for (const text of isLater ? [] : statementsAtOnce(next)) await connection.query({ text })
      await recordMigration(connection, next, !isLater)
      return 'done'
    })
  } catch (error) {
    if (isTransient(error)) return 'other transactions hold locks'
    if (DUPLICATE_NAME.includes((error as { code?: string }).code ?? ''))
      throw new OperatorError(
        `The database could not be migrated: ${(error as Error).message} and does not belong to Claimkeeper. Rename or drop it.`,
        { cause: error },
      )
    throw error
  }
}

/** Tries to take the migration lock until the end of the transaction. Waiting in a statement would block index builds. */
export async function tryMigrationLock(connection: Pick<Connection, 'query'>): Promise<boolean> {
  const [lock] = await connection.query<{ isOurs: boolean }>({
    text: `SELECT pg_try_advisory_xact_lock(${MIGRATIONS}) AS "isOurs"`,
  })
  return lock?.isOurs === true
}

/** CONCURRENTLY is not allowed in a transaction, and not needed in a new database. */
const statementsAtOnce = ({ background, text }: Migration): string[] =>
  background?.map((statement) => statement.text.replace(' CONCURRENTLY', '')) ?? [text]

/** Usually the transaction that holds the lock. */
async function oldestTransaction(db: Migrating): Promise<string> {
  const [row] = await db.query<{ pid: number; name: string; state: string; seconds: number }>({
    text: `SELECT pid, coalesce(nullif(application_name, ''), usename) AS name, state,
        extract(epoch FROM clock_timestamp() - xact_start)::integer AS seconds
      FROM pg_stat_activity
      WHERE datname = current_database() AND pid <> pg_backend_pid() AND xact_start IS NOT NULL AND backend_type = 'client backend'
      ORDER BY xact_start LIMIT 1`,
    readOnly: true,
  })
  return row
    ? `The oldest transaction is of process ${row.pid} (${row.name}, ${row.state} for ${row.seconds} s).`
    : 'No other transaction is visible now.'
}

/** @throws OperatorError if PostgreSQL is too old, or the database is not in UTF-8 */
export async function requireServer(connection: Pick<Connection, 'query'>): Promise<void> {
  const [row] = await connection.query<{ number: number; version: string; encoding: string }>({
    text: `SELECT current_setting('server_version_num')::int AS number, current_setting('server_version') AS version,
      current_setting('server_encoding') AS encoding`,
  })
  if (row && row.number < OLDEST_POSTGRES * 10_000) {
    throw new OperatorError(
      `PostgreSQL ${OLDEST_POSTGRES} or newer is required. The server of DATABASE_URL has version ${row.version}.`,
    )
  }
  if (row && row.encoding !== ENCODING) {
    throw new OperatorError(`The database is encoded in ${row.encoding}. ${ENCODING_ADVICE}`)
  }
}
