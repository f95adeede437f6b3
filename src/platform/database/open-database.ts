import { setTimeout as pause } from 'node:timers/promises'
import { OperatorError } from '../../kernel/operator-error.ts'
import { distribute } from './citus/distribute.ts'
import { readDistribution } from './citus/read-distribution.ts'
import { Database, LEAST_CONNECTIONS } from './database.ts'
import { DatabaseUnavailable } from './database-unavailable.ts'
import { type EmbeddedDatabase, openEmbeddedDatabase } from './embedded/open-embedded-database.ts'
import { migrate, requireServer } from './migrate/migrate.ts'
import { hasVersionTable, requireOwnTables } from './migrate/own-tables.ts'
import { Pool } from './pool/pool.ts'
import type { PooledConnection } from './pool/pooled-connection.ts'
import { SERVICE } from './pool/pooled-connection.ts'
import { addressOf } from './pool/server-address.ts'
import { requireDurable, requireDurableMachines, requireSettings } from './require-settings.ts'
import { unlessAborted } from './unless-aborted.ts'

export interface DatabaseOptions {
  /** Your own PostgreSQL; null for the embedded one. */
  databaseUrl: string | null
  dataDir: string
  poolSize: number
  /** The service, or a short command beside it or without it. */
  role: 'service' | 'command'
  /** Makes the database if there is none; otherwise it must be there. */
  mayCreate: boolean
  /** Takes what is there as it is, whatever version it has: nothing in it is made, migrated or required to be safe. */
  leavesTables?: boolean
  /** Distributes the tables, if that was not done yet. */
  distribute?: boolean
  /** Takes a database that may lose what it acknowledges. */
  allowUnsafe: boolean
  /** Hears what is being done, in short lines for people. */
  report: (step: string) => void
  /** Ends the opening: it rejects with the signal's reason, and what it had started is stopped. */
  signal: AbortSignal
}

export interface OpenDatabase {
  db: Database
  /** Leads to it, for other processes. Holds the password: never log it. */
  connectionString: string
  /**
   * Closes the connections, and stops the embedded database if nobody else uses it. All of it has so many milliseconds;
   * below 3,000 it may take longer.
   */
  close: (withinMs?: number) => Promise<void>
}

/** A database that comes up together with the service is waited for. */
const PATIENCE_MS = 30_000
const PAUSE_MS = 500
const NOT_ALLOWED = '42501'

/** Finds or starts the database and brings it to this code's version. @throws OperatorError */
export async function openDatabase(options: DatabaseOptions): Promise<OpenDatabase> {
  const { databaseUrl, dataDir, role, report, poolSize, signal, mayCreate } = options
  const embedded =
    databaseUrl === null ? await openEmbeddedDatabase({ dataDir, role, report, signal, mayCreate }) : null
  const connectionString = embedded?.connectionString ?? (databaseUrl as string)
  const { ignored } = addressOf(connectionString)
  if (ignored.length > 0)
    report(`DATABASE_URL has unknown parameters, which have no effect: ${ignored.join(', ')}`)
  const first = new Pool({ connectionString, size: 1 })
  try {
    const db = first.for(SERVICE)
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
    if (distribution.isOn && mustBeDurable) await requireDurableMachines(db)
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

/** A % that is not an escape stays, as in the driver. */
const databaseOf = (url: string) =>
  decodeURIComponent(new URL(url).pathname.slice(1).replaceAll(/%(?![0-9a-f]{2})/gi, '%25'))

/** A full disk, a standby, a role that may not make tables: its reader can mend that, and needs the database's words. */
function asOperatorError(error: unknown, where: string): unknown {
  const mayNot = (error as { code?: unknown }).code === NOT_ALLOWED
  return mayNot || error instanceof DatabaseUnavailable
    ? new OperatorError(`Cannot use ${where}: ${reasonOf(error)}`, { cause: error })
    : error
}

async function requireTables(db: PooledConnection, databaseUrl: string | null): Promise<void> {
  if (await hasVersionTable(db)) return
  await requireServer(db)
  await requireOwnTables(db)
  const name = databaseUrl === null ? '' : ` (${databaseOf(databaseUrl)})`
  throw new OperatorError(
    `There is no Claimkeeper in ${nameOf(databaseUrl)}${name}: set DATABASE_URL to the server’s database. Only serve and migrate make a new one.`,
  )
}

/** Migrations take as long as they need; given up, their transaction ends with its connection. */
async function migrateWithoutTimeout(
  connectionString: string,
  { report, signal, ...options }: DatabaseOptions,
): Promise<void> {
  const pool = new Pool({ connectionString, size: 1, statementTimeoutMs: 0 })
  try {
    const db = pool.for(SERVICE)
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
  const deadline = performance.now() + PATIENCE_MS
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
      await pause(PAUSE_MS, undefined, { signal })
    }
  }
}

/** Waiting does not help: a wrong user or password (28…), or no such database (3D…). */
function isRefusal(cause: unknown): boolean {
  return /^(28|3D)/.test((cause as { code?: string } | undefined)?.code ?? '')
}

/** The driver's own words, in one line. */
function reasonOf(error: unknown): string {
  const cause = error instanceof Error && error.cause ? error.cause : error
  const parts = cause instanceof AggregateError ? cause.errors : [cause]
  return parts
    .map((part) => (part instanceof Error ? part.message : String(part)).replaceAll('\n', ' '))
    .join('; ')
}

export type CommandOptions = Omit<DatabaseOptions, 'role' | 'poolSize'>

/** Opens the database for a command, does the work, and leaves the database as it was found. */
export async function withDatabase<T>(
  options: CommandOptions,
  work: (database: OpenDatabase) => Promise<T>,
): Promise<T> {
  const database = await openDatabase({ ...options, role: 'command', poolSize: LEAST_CONNECTIONS })
  try {
    return await unlessAborted(options.signal, work(database))
  } finally {
    await database.close()
  }
}

/** For one that is about all of the database, of whatever version and however safe it is. */
export const withDatabaseAsItIs = <T>(
  options: Omit<CommandOptions, 'leavesTables' | 'allowUnsafe'>,
  work: (database: OpenDatabase) => Promise<T>,
): Promise<T> => withDatabase({ ...options, leavesTables: true, allowUnsafe: true }, work)
