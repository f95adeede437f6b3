import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import type pg from 'pg'
import { from as copyFrom } from 'pg-copy-streams'
import { OperatorError } from '../kernel/operator-error.ts'
import { withRejectionHandler } from '../kernel/promises.ts'
import { Distribution } from '../platform/database/citus/distribution.ts'
import type { Connection } from '../platform/database/connection.ts'
import { migrate, takeMigrationTurn } from '../platform/database/migrate/migrate.ts'
import { CODE_VERSION, OWN_MIGRATIONS } from '../platform/database/migrate/migration-files.ts'
import { beginLong, IS_OURS, inOneLine, PLAIN_NAME } from './backup-session-store.ts'
import { NOT_BACKED_UP, type Sequence } from './snapshot-store.ts'

/** An empty database that becomes what a backup holds, in one transaction. */
export interface Restoration {
  /** Whether the tables of the backup's version have one of this name. */
  knows: (table: string) => boolean
  /** Returns how many rows there are now. */
  fill: (table: string, columns: string[], rows: AsyncIterable<Buffer>) => Promise<number>
  setSequence: (sequence: Sequence) => Promise<void>
  /** @throws OperatorError if a table was not filled */
  finish: (options: { disablesWebhooks: boolean }) => Promise<void>
  /** Without `finish` nothing is left of it. */
  close: () => Promise<void>
}

const TURN_PAUSE_MS = 100
const PATIENCE_MS = 60_000

const FAILED = 'The backup could not be restored'

/**
 * Whoever has read a feed after the backup was made has a place in it beyond its last number: notifications to come go
 * behind all of these, so that nobody misses one, and none gets the id of another one that was delivered. Nobody takes so many
 * numbers between two backups.
 */
const NUMBERS_LEFT_OUT = 1_000_000_000_000n
const NOTIFICATION_NUMBERS = 'notification_numbers'

/**
 * @param migration the version of the backup's tables
 * @throws OperatorError if anything is in the database, or the backup is newer than this code
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
    const client = await beginLong(connectionString, '', '')
    try {
      return await inEmptyDatabase(client, migration, report)
    } catch (error) {
      await client.end()
      throw error
    }
  } catch (error) {
    throw inOneLine(FAILED, error)
  }
}

async function inEmptyDatabase(
  client: pg.Client,
  migration: number,
  report: (step: string) => void,
): Promise<Restoration> {
  const db = connectionOf(client)
  await waitForTurn(db, report)
  await requireEmpty(client)
  await migrate(
    db,
    () => {},
    OWN_MIGRATIONS.filter(({ version }) => version <= migration),
  )
  const made = await readTableNames(client)
  // What a migration has put in them is in the backup as well.
  if (made.length > 0) await client.query(`TRUNCATE ${made.join(', ')}`)
  const known = new Set(made.filter((table) => !NOT_BACKED_UP.includes(table)))
  const missing = new Set(known)

  const guarded =
    <A extends unknown[], T>(step: (...args: A) => Promise<T>) =>
    (...args: A): Promise<T> =>
      step(...args).catch((error) => Promise.reject(inOneLine(FAILED, error)))
  return {
    knows: (table) => known.has(table),
    fill: guarded(async (table, columns, rows) => {
      missing.delete(table)
      return fill(client, table, columns, rows)
    }),
    setSequence: guarded((sequence) => setSequence(client, sequence)),
    finish: guarded(async ({ disablesWebhooks }) => {
      const [table] = missing
      if (table !== undefined) throw new OperatorError(`${FAILED}: the table ${table} is not in it.`)
      await migrate(db, report)
      await beginAnew(client, disablesWebhooks)
      await client.query('COMMIT')
    }),
    close: () => client.end(),
  }
}

/** Another one's migrations or restoration may take long. */
async function waitForTurn(db: Pick<Connection, 'query'>, report: (step: string) => void): Promise<void> {
  const deadline = performance.now() + PATIENCE_MS
  let isTold = false
  while (!(await takeMigrationTurn(db))) {
    if (performance.now() > deadline)
      throw new OperatorError(`${FAILED}: another command or server is at the database.`)
    if (!isTold) report('Waiting for another command or server that is at the database')
    isTold = true
    await pause(TURN_PAUSE_MS)
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
    `The database is not empty (${found.name}${others}): a backup is restored only where nothing is, so give it an empty database, or another data folder.`,
  )
}

/** For the migrations, which are part of the same transaction. */
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
    WHERE relkind = 'r' AND ${IS_OURS} AND relname <> 'schema_migrations'`)
  return rows.map(({ name }) => name)
}

async function fill(
  client: pg.Client,
  table: string,
  columns: string[],
  rows: AsyncIterable<Buffer>,
): Promise<number> {
  if (!columns.every((column) => PLAIN_NAME.test(column))) throw new Error('a column without a plain name')
  const copy = client.query(copyFrom(`COPY ${table} (${columns.join(', ')}) FROM STDIN WITH (FREEZE)`))
  const ended = withRejectionHandler(
    new Promise<void>((resolve, reject) => {
      copy.once('finish', resolve).once('error', (error) => {
        // What waits to be written would find no connection, and that error would end the process.
        copy.destroy()
        reject(error)
      })
    }),
  )
  for await (const piece of rows) {
    if (!copy.write(piece)) await Promise.race([once(copy, 'drain'), ended])
  }
  copy.end()
  await ended
  return copy.rowCount
}

async function setSequence(client: pg.Client, { name, last, isCalled }: Sequence): Promise<void> {
  const leapt = name === NOTIFICATION_NUMBERS ? BigInt(last) + NUMBERS_LEFT_OUT : BigInt(last)
  await client.query('SELECT setval($1::regclass, $2::bigint, $3)', [name, `${leapt}`, isCalled])
}

/** What belonged to servers that are no more. */
async function beginAnew(client: pg.Client, disablesWebhooks: boolean): Promise<void> {
  await client.query('UPDATE webhook_endpoints SET sender = NULL, sender_until = NULL')
  if (disablesWebhooks) {
    await client.query("UPDATE webhook_endpoints SET disabled = 'by hand' WHERE disabled IS NULL")
  }
  // Until autovacuum comes, nobody else would count what is there.
  await client.query('ANALYZE')
}
