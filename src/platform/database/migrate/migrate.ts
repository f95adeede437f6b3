import { setTimeout as pause } from 'node:timers/promises'
import { OperatorError } from '../../../kernel/operator-error.ts'
import { MIGRATIONS } from '../advisory-locks.ts'
import type { Connection } from '../connection.ts'
import { isPassing } from '../database-unavailable.ts'
import type { PooledConnection } from '../pool/pooled-connection.ts'
import { type Migration, OWN_MIGRATIONS, versionOf } from './migration-files.ts'
import { hasVersionTable, requireOwnTables } from './own-tables.ts'
import {
  noteMigration,
  prepareVersionTable,
  readSchemaVersion,
  saysWhatWorks,
  whyTooNew,
} from './schema-version.ts'

export const OLDEST_POSTGRES = 15
/** In other encodings PostgreSQL refuses some characters of requests, or does not distinguish them. */
export const ENCODING = 'UTF8'
export const HOW_TO_ENCODE = `It must be ${ENCODING}: CREATE DATABASE … ENCODING '${ENCODING}' TEMPLATE template0. To move the claims of the old database, use claimkeeper backup and restore.`

/**
 * A lock that others hold is waited for no longer: whoever comes later stands in line behind it. Then others have their
 * turn, and it is tried again, until it has been tried for long enough.
 */
const LOCK_TIMEOUT_MS = 1_000
const FIRST_PAUSE_MS = 500
const LONGEST_PAUSE_MS = 5_000
const PATIENCE_MS = 600_000
/** Until another server has made its next step. */
const TURN_PAUSE_MS = 100
/** Most often it is done sooner. */
const TURNS_UNTOLD = 40

/** SQLSTATEs duplicate_table, duplicate_object and duplicate_function. */
const DUPLICATE_NAME = ['42P07', '42710', '42723']

/** What migrations run on: its statements may take as long as they need. */
type Migrating = Pick<PooledConnection, 'query' | 'transaction'>

/** What became of an attempt to run the next one. */
type Outcome = 'done' | 'another server is at it' | 'others hold locks'

/**
 * Brings the database to the version of this code, one migration after the other, each in a transaction. Servers that start together
 * take turns. What says that it runs in the background is announced, and left to `background-migrations.ts`; on a new
 * database it is done at once. Reports each migration that it runs.
 * @throws OperatorError if the database is too new for the code, is not in UTF-8, or holds tables of another program, if PostgreSQL is
 * too old, or if others hold a lock, or make no progress, for ten minutes.
 */
export async function migrate(
  db: Migrating,
  report: (step: string) => void,
  migrations = OWN_MIGRATIONS,
): Promise<void> {
  await requireServer(db)
  await requireOwnTables(db, migrations)
  const isNew = (await lastMigration(db)) === 0
  let deadline = performance.now() + PATIENCE_MS
  let waits = 0
  let turns = 0
  let last = 0
  const tell = async (why: Outcome): Promise<void> => {
    const holder = await oldestTransaction(db)
    if (performance.now() > deadline) {
      throw new OperatorError(`The database could not be migrated: ${why}. ${holder}`)
    }
    report(`Migrating the database: ${why}, so it is tried again. ${holder}`)
  }
  while (await isBehind(db, migrations)) {
    const outcome = await runNext(db, report, { migrations, isNew })
    if (outcome === 'done') {
      deadline = performance.now() + PATIENCE_MS
      waits = 0
    } else if (outcome === 'another server is at it') {
      turns++
      if (turns % TURNS_UNTOLD === 0) {
        // Time runs only while it makes no progress.
        const now = await lastMigration(db)
        if (now > last) deadline = performance.now() + PATIENCE_MS
        last = now
        await tell(outcome)
      }
      await pause(TURN_PAUSE_MS)
    } else {
      await tell(outcome)
      await pause(Math.min(FIRST_PAUSE_MS * 2 ** waits++, LONGEST_PAUSE_MS) * (0.5 + Math.random() / 2))
    }
  }
}

/** The last migration that the database has, also if it was made by an older version; 0 for none. */
export const lastMigration = async (db: Pick<Connection, 'query'>): Promise<number> =>
  (await saysWhatWorks(db)) ? (await readSchemaVersion(db)).version : await oldVersion(db)

/** Of a database that was migrated by servers of before migrations said what they work with. */
async function oldVersion(db: Pick<Connection, 'query'>): Promise<number> {
  if (!(await hasVersionTable(db))) return 0
  const [row] = await db.query<{ version: number | null }>({
    text: 'SELECT max(version) AS version FROM schema_migrations',
    readOnly: true,
  })
  return row?.version ?? 0
}

/** Asked without a lock: a server that finds all done waits for nobody. */
async function isBehind(db: Migrating, migrations: readonly Migration[]): Promise<boolean> {
  return !(await saysWhatWorks(db)) || (await nextOf(db, migrations)) !== undefined
}

/** @throws OperatorError if the database is too new */
async function nextOf(
  db: Pick<Connection, 'query'>,
  migrations: readonly Migration[],
): Promise<Migration | undefined> {
  const code = versionOf(migrations)
  const schema = await readSchemaVersion(db, code)
  const why = whyTooNew(schema, code)
  if (why)
    throw new OperatorError(`The database is newer than this Claimkeeper: ${why}. Run the newer version.`)
  return migrations.find(({ version }) => version > schema.version)
}

async function runNext(
  db: Migrating,
  report: (step: string) => void,
  { migrations, isNew }: { migrations: readonly Migration[]; isNew: boolean },
): Promise<Outcome> {
  try {
    return await db.transaction(async (connection) => {
      if (!(await takeMigrationTurn(connection))) return 'another server is at it'
      await connection.query({ text: `SET LOCAL lock_timeout = ${LOCK_TIMEOUT_MS}` })
      await prepareVersionTable(connection, migrations)
      const next = await nextOf(connection, migrations)
      if (!next) return 'done'
      const isLater = next.background !== null && !isNew
      report(`Migrating the database: ${next.name}${isLater ? ' (in the background, after the start)' : ''}`)
      for (const text of isLater ? [] : statementsAtOnce(next)) await connection.query({ text })
      await noteMigration(connection, next, !isLater)
      return 'done'
    })
  } catch (error) {
    if (isPassing(error)) return 'others hold locks'
    if (DUPLICATE_NAME.includes((error as { code?: string }).code ?? ''))
      throw new OperatorError(
        `The database could not be migrated: ${(error as Error).message} and does not belong to Claimkeeper. Rename or drop it.`,
        { cause: error },
      )
    throw error
  }
}

/**
 * Whether it is this transaction's turn to change the tables, until it ends. Who has to wait asks again: who waits in a
 * statement holds back what others build in the background.
 */
export async function takeMigrationTurn(connection: Pick<Connection, 'query'>): Promise<boolean> {
  const [turn] = await connection.query<{ isOurs: boolean }>({
    text: `SELECT pg_try_advisory_xact_lock(${MIGRATIONS}) AS "isOurs"`,
  })
  return turn?.isOurs === true
}

/** Nothing is in a new database, and nobody works there. */
const statementsAtOnce = ({ background, text }: Migration): string[] =>
  background?.map((statement) => statement.text.replace(' CONCURRENTLY', '')) ?? [text]

/** Most often it is the one that holds the lock. */
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
    : 'No transaction of others is seen now.'
}

/** @throws OperatorError if PostgreSQL is too old, or the database is not in UTF-8 */
export async function requireServer(connection: Pick<Connection, 'query'>): Promise<void> {
  const [row] = await connection.query<{ number: number; version: string; encoding: string }>({
    text: `SELECT current_setting('server_version_num')::int AS number, current_setting('server_version') AS version,
      current_setting('server_encoding') AS encoding`,
  })
  if (row && row.number < OLDEST_POSTGRES * 10_000) {
    throw new OperatorError(
      `PostgreSQL ${OLDEST_POSTGRES} or newer is needed; DATABASE_URL names a ${row.version}.`,
    )
  }
  if (row && row.encoding !== ENCODING) {
    throw new OperatorError(`The database is encoded in ${row.encoding}. ${HOW_TO_ENCODE}`)
  }
}
