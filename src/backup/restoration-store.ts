import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import type pg from 'pg'
import { from as copyFrom } from 'pg-copy-streams'
import { OperatorError } from '../kernel/operator-error.ts'
import { withRejectionHandler } from '../kernel/promises.ts'
import { Distribution } from '../platform/database/citus/distribution.ts'
import type { Connection } from '../platform/database/connection.ts'
import { MIGRATION_LOCK_RETRY_MS } from '../platform/database/limits.ts'
import { migrate, tryMigrationLock } from '../platform/database/migrate/migrate.ts'
import { CODE_VERSION, OWN_MIGRATIONS } from '../platform/database/migrate/migration-files.ts'
import {
  beginWithoutTimeout,
  IS_IN_SERVICE_SCHEMA,
  toOperatorError,
  UNQUOTED_IDENTIFIER,
} from './backup-session-store.ts'
import { MIGRATION_LOCK_TIMEOUT_MS, SKIPPED_NOTIFICATION_NUMBERS } from './limits.ts'
import { NOT_BACKED_UP, type Sequence } from './snapshot-store.ts'

/** The restoration of a backup into an empty database, in one transaction. */
export interface Restoration {
  /** Whether the backup's version has a table of this name. */
  hasTable: (table: string) => boolean
  /** Stores rows in the text format of COPY. Returns their number. */
  copyRows: (table: string, columns: string[], rows: AsyncIterable<Buffer>) => Promise<number>
  setSequence: (sequence: Sequence) => Promise<void>
  /** Migrates and commits. @throws OperatorError if the backup lacks a table */
  finish: (options: { disablesWebhooks: boolean }) => Promise<void>
  /** Rolls back, unless `finish` has committed. */
  close: () => Promise<void>
}

const FAILED = 'The backup could not be restored'

const NOTIFICATION_NUMBERS = 'notification_numbers'

/**
 * @param migration the version of the backup's tables
 * @throws OperatorError if the database is not empty, or the backup is newer than this code
 */
export async function beginRestoration(
  connectionString: string,
  migration: number,
  report: (step: string) => void,
): Promise<Restoration> {
  if (migration > CODE_VERSION) {
    throw new OperatorError(
      `The backup is newer than this Claimkeeper: it has migration ${migration}, this code knows up to ${CODE_VERSION}. Restore it with the newer version.`,
    )
  }
  try {
    const client = await beginWithoutTimeout(connectionString, '', '')
    try {
      return await beginInEmptyDatabase(client, migration, report)
    } catch (error) {
      await client.end()
      throw error
    }
  } catch (error) {
    throw toOperatorError(FAILED, error)
  }
}

async function beginInEmptyDatabase(
  client: pg.Client,
  migration: number,
  report: (step: string) => void,
): Promise<Restoration> {
  const db = connectionOf(client)
  await waitForMigrationLock(db, report)
  await requireEmpty(client)
  await migrate(
    db,
    () => {},
    OWN_MIGRATIONS.filter(({ version }) => version <= migration),
  )
  const tables = await readTableNames(client)
  // Rows that migrations insert are also in the backup.
  if (tables.length > 0) await client.query(`TRUNCATE ${tables.join(', ')}`)
  const knownTables = new Set(tables.filter((table) => !NOT_BACKED_UP.includes(table)))
  const missing = new Set(knownTables)

  const withOperatorError =
    <A extends unknown[], T>(step: (...args: A) => Promise<T>) =>
    (...args: A): Promise<T> =>
      step(...args).catch((error) => Promise.reject(toOperatorError(FAILED, error)))
  return {
    hasTable: (table) => knownTables.has(table),
    copyRows: withOperatorError(async (table, columns, rows) => {
      missing.delete(table)
      return copyRows(client, table, columns, rows)
    }),
    setSequence: withOperatorError((sequence) => setSequence(client, sequence)),
    finish: withOperatorError(async ({ disablesWebhooks }) => {
      const [table] = missing
      if (table !== undefined) throw new OperatorError(`${FAILED}: it lacks the table ${table}.`)
      await migrate(db, report)
      await resetServerState(client, disablesWebhooks)
      await client.query('COMMIT')
    }),
    close: () => client.end(),
  }
}

async function waitForMigrationLock(
  db: Pick<Connection, 'query'>,
  report: (step: string) => void,
): Promise<void> {
  const deadline = performance.now() + MIGRATION_LOCK_TIMEOUT_MS
  let isReported = false
  while (!(await tryMigrationLock(db))) {
    if (performance.now() > deadline)
      throw new OperatorError(`${FAILED}: another command or server is migrating or restoring the database.`)
    if (!isReported) report('Waiting for another command or server that migrates or restores the database')
    isReported = true
    await pause(MIGRATION_LOCK_RETRY_MS)
  }
}

async function requireEmpty(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ name: string; others: string }>(`-- find_anything
    SELECT relname AS name, count(*) OVER () - 1 AS others
    FROM pg_class c JOIN pg_namespace n ON n.oid = relnamespace
    WHERE nspname NOT IN ('pg_catalog', 'information_schema') AND nspname !~ '^pg_(toast|temp)' AND relkind IN ('r', 'p', 'v', 'm', 'f', 'S')
      AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid AND deptype = 'e')
    ORDER BY relname LIMIT 1`)
  const [found] = rows
  if (!found) return
  const others = found.others === '0' ? '' : ` and ${found.others} more`
  throw new OperatorError(
    `The database is not empty (${found.name}${others}). A backup is restored only into an empty database: use an empty one, or another data folder.`,
  )
}

/** A connection for the migrations, which run in the same transaction. */
function connectionOf(client: pg.Client): Connection {
  const connection: Connection = {
    query: async ({ text, values }) => (await client.query(text, values as unknown[])).rows,
    transaction: (work) => work(connection),
    distribution: new Distribution(),
  }
  return connection
}

async function readTableNames(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(`-- read_restored_tables
    SELECT relname AS name FROM pg_class c
    WHERE relkind = 'r' AND ${IS_IN_SERVICE_SCHEMA} AND relname <> 'schema_migrations'`)
  return rows.map(({ name }) => name)
}

async function copyRows(
  client: pg.Client,
  table: string,
  columns: string[],
  rows: AsyncIterable<Buffer>,
): Promise<number> {
  if (!columns.every((column) => UNQUOTED_IDENTIFIER.test(column)))
    throw new Error('a column of the backup needs quotes')
  const copy = client.query(copyFrom(`COPY ${table} (${columns.join(', ')}) FROM STDIN WITH (FREEZE)`))
  const ended = withRejectionHandler(
    new Promise<void>((resolve, reject) => {
      copy.once('finish', resolve).once('error', (error) => {
        // A buffered write would fail later without a handler and end the process.
        copy.destroy()
        reject(error)
      })
    }),
  )
  for await (const chunk of rows) {
    if (!copy.write(chunk)) await Promise.race([once(copy, 'drain'), ended])
  }
  copy.end()
  await ended
  return copy.rowCount
}

async function setSequence(client: pg.Client, { name, last, isCalled }: Sequence): Promise<void> {
  const skipped = name === NOTIFICATION_NUMBERS ? SKIPPED_NOTIFICATION_NUMBERS : 0n
  await client.query('SELECT setval($1::regclass, $2::bigint, $3)', [
    name,
    `${BigInt(last) + skipped}`,
    isCalled,
  ])
}

/** Resets the state of servers that no longer exist. */
async function resetServerState(client: pg.Client, disablesWebhooks: boolean): Promise<void> {
  await client.query('UPDATE webhook_endpoints SET sender = NULL, sender_until = NULL')
  if (disablesWebhooks) {
    await client.query("UPDATE webhook_endpoints SET disabled = 'by hand' WHERE disabled IS NULL")
  }
  // Otherwise the planner has no statistics before autovacuum runs.
  await client.query('ANALYZE')
}
