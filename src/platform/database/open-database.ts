import { setTimeout as pause } from 'node:timers/promises'
import { OperatorError } from '../../kernel/operator-error.ts'
import { unlessAborted } from '../concurrency/unless-aborted.ts'
import { distribute } from './citus/distribute.ts'
import { readDistribution } from './citus/read-distribution.ts'
import { Database } from './database.ts'
import { DatabaseUnavailable } from './database-unavailable.ts'
import { type EmbeddedDatabase, openEmbeddedDatabase } from './embedded/open-embedded-database.ts'
import { MIN_CONNECTIONS, START_RETRY_MS, START_TIMEOUT_MS } from './limits.ts'
import { migrate, requireServer } from './migrate/migrate.ts'
import { hasVersionTable, requireOwnTables } from './migrate/own-tables.ts'
import { Pool } from './pool/pool.ts'
import type { PooledConnection } from './pool/pooled-connection.ts'
import { SERVICE_ACCOUNT } from './pool/pooled-connection.ts'
import { parseServerAddress } from './pool/server-address.ts'
import {
  requireDurable,
  requireDurableNodes,
  requireSettings,
  requireWorkerSettings,
} from './require-settings.ts'

interface DatabaseOptions {
  /** The address of a PostgreSQL server; null for the embedded one. */
  databaseUrl: string | null
  dataDir: string
  poolSize: number
  /** A command may run beside the service. */
  role: 'service' | 'command'
  /** Creates the database if there is none. Otherwise a missing database is an error. */
  mayCreate: boolean
  /** Accepts tables of any version and an unsafe database, and neither creates nor migrates tables. */
  leavesTables?: boolean
  /** Distributes the tables by Citus. */
  distribute?: boolean
  /** Accepts a database that may lose acknowledged data. */
  allowUnsafe: boolean
  /** Receives each step in words. */
  report: (step: string) => void
  /** Aborts the opening: it stops what it has started and rejects with the signal's reason. */
  signal: AbortSignal
}

export interface OpenDatabase {
  db: Database
  /** The address for other processes. It contains the password: never log it. */
  connectionString: string
  /**
   * Closes the connections, and stops the embedded PostgreSQL if no other process uses it.
   * @param withinMs the time that it may take; below 3,000 it may take longer
   */
  close: (withinMs?: number) => Promise<void>
}

/** SQLSTATE insufficient_privilege. */
const INSUFFICIENT_PRIVILEGE = '42501'

/** Finds or starts the database and migrates it to the version of this code. @throws OperatorError */
export async function openDatabase(options: DatabaseOptions): Promise<OpenDatabase> {
  const { databaseUrl, dataDir, role, report, poolSize, signal, mayCreate } = options
  const embedded =
    databaseUrl === null ? await openEmbeddedDatabase({ dataDir, role, report, signal, mayCreate }) : null
  const connectionString = embedded?.connectionString ?? (databaseUrl as string)
  const { ignored } = parseServerAddress(connectionString)
  if (ignored.length > 0)
    report(`DATABASE_URL has unknown parameters, which have no effect: ${ignored.join(', ')}`)
  const first = new Pool({ connectionString, size: 1 })
  try {
    const db = first.for(SERVICE_ACCOUNT)
    await waitUntilReachable(db, options)
    const { leavesTables = false } = options
    const mustBeDurable = !options.allowUnsafe && !leavesTables
    if (mustBeDurable) await requireDurable(db)
    if (!mayCreate) await requireTables(db, databaseUrl)
    if (!leavesTables) {
      await requireSettings(db)
      await migrateWithoutTimeout(connectionString, options)
    }
    const distribution = await readDistribution(db)
    if (distribution.isOn && !leavesTables) await requireWorkerSettings(db)
    if (distribution.isOn && mustBeDurable) await requireDurableNodes(db)
    await first.close()
    return opened(new Database({ connectionString, poolSize, distribution }), connectionString, embedded)
  } catch (error) {
    await first.close()
    await embedded?.release()
    throw signal.aborted ? error : asOperatorError(error, nameOf(databaseUrl))
  }
}

const opened = (db: Database, connectionString: string, embedded: EmbeddedDatabase | null): OpenDatabase => ({
  db,
  connectionString,
  close: async (withinMs) => {
    const startedAt = performance.now()
    await db.close()
    await embedded?.release(withinMs && withinMs - (performance.now() - startedAt))
  },
})

const nameOf = (url: string | null) =>
  url === null ? 'the embedded database' : `the database at ${hostOf(new URL(url))}`

const hostOf = ({ host, searchParams }: URL) => searchParams.get('host') || host || 'localhost'

/** The database's name. A % that begins no escape sequence stays, as in the driver. */
const databaseOf = (url: string) =>
  decodeURIComponent(new URL(url).pathname.slice(1).replaceAll(/%(?![0-9a-f]{2})/gi, '%25'))

/** Only the operator can fix a full disk, a standby or a missing privilege. The error keeps PostgreSQL's message. */
function asOperatorError(error: unknown, where: string): unknown {
  const lacksPrivilege = (error as { code?: unknown }).code === INSUFFICIENT_PRIVILEGE
  return lacksPrivilege || error instanceof DatabaseUnavailable
    ? new OperatorError(`Cannot use ${where}: ${reasonOf(error)}`, { cause: error })
    : error
}

async function requireTables(db: PooledConnection, databaseUrl: string | null): Promise<void> {
  if (await hasVersionTable(db)) return
  await requireServer(db)
  await requireOwnTables(db)
  const name = databaseUrl === null ? '' : ` (${databaseOf(databaseUrl)})`
  throw new OperatorError(
    `There are no tables of Claimkeeper in ${nameOf(databaseUrl)}${name}. Set DATABASE_URL to the database of the service. Only serve and migrate create the tables.`,
  )
}

/** Migrations have no timeout. If they are aborted, closing the connection ends their transaction. */
async function migrateWithoutTimeout(
  connectionString: string,
  { report, signal, ...options }: DatabaseOptions,
): Promise<void> {
  const pool = new Pool({ connectionString, size: 1, statementTimeoutMs: 0 })
  try {
    const db = pool.for(SERVICE_ACCOUNT)
    await unlessAborted(signal, migrate(db, report))
    if (options.distribute) await unlessAborted(signal, distribute(db, report))
  } finally {
    await pool.close()
  }
}

async function waitUntilReachable(
  db: PooledConnection,
  { databaseUrl: url, report, signal }: DatabaseOptions,
): Promise<void> {
  const deadline = performance.now() + START_TIMEOUT_MS
  for (let attempt = 1; ; attempt++) {
    try {
      await unlessAborted(signal, db.query({ text: 'SELECT 1' }))
      return
    } catch (error) {
      signal.throwIfAborted()
      const where = nameOf(url)
      const reason = reasonOf(error)
      if (!(error instanceof DatabaseUnavailable) || isRefusal(error.cause)) {
        throw new OperatorError(`Cannot use ${where}: ${reason}`)
      }
      if (performance.now() > deadline) throw new OperatorError(`Cannot reach ${where}: ${reason}`)
      if (attempt === 1) report(`Waiting for ${where}: ${reason}`)
      await pause(START_RETRY_MS, undefined, { signal })
    }
  }
}

/** Whether waiting is useless: wrong user or password (28…), or no such database (3D…). */
function isRefusal(cause: unknown): boolean {
  return /^(28|3D)/.test((cause as { code?: string } | undefined)?.code ?? '')
}

/** The driver's message in one line. */
function reasonOf(error: unknown): string {
  const cause = error instanceof Error && error.cause ? error.cause : error
  const parts = cause instanceof AggregateError ? cause.errors : [cause]
  return parts
    .map((part) => (part instanceof Error ? part.message : String(part)).replaceAll('\n', ' '))
    .join('; ')
}

export type CommandOptions = Omit<DatabaseOptions, 'role' | 'poolSize'>

/** Opens the database for a command, runs the work and closes the database. Stops the embedded PostgreSQL if it started it. */
export async function withDatabase<T>(
  options: CommandOptions,
  work: (database: OpenDatabase) => Promise<T>,
): Promise<T> {
  const database = await openDatabase({ ...options, role: 'command', poolSize: MIN_CONNECTIONS })
  try {
    return await unlessAborted(options.signal, work(database))
  } finally {
    await database.close()
  }
}

/** The same for a database of any version and safety, without changing its tables. */
export const withDatabaseAsItIs = <T>(
  options: Omit<CommandOptions, 'leavesTables' | 'allowUnsafe'>,
  work: (database: OpenDatabase) => Promise<T>,
): Promise<T> => withDatabase({ ...options, leavesTables: true, allowUnsafe: true }, work)
