import { readdir, realpath, rm, rmdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { OperatorError } from '../../../kernel/operator-error.ts'
import { withRejectionHandler, withTimeout } from '../../../kernel/promises.ts'
import { CLUSTER_SETUP } from '../advisory-locks.ts'
import { DATABASE } from './binaries.ts'
import { type Cluster, prepareCluster, requireCluster } from './cluster.ts'
import { findServer, type Server } from './find-server.ts'
import { createPatience } from './patience.ts'
import { hastenShutdown, stopPostmaster } from './postmaster.ts'
import { enterServer, leaveServer, type Role } from './presence.ts'
import { connectAsOwner, connectionString, ensureOwnPassword, mayPass } from './session.ts'

const FIRST_RETRY_MS = 100
const LAST_RETRY_MS = 2_000
const SHUTDOWN_CHECK_MS = 1_000
/** Who leaves does not wait longer for a server that is just being brought back. */
const LONGEST_COME_BACK_MS = 500

export interface EmbeddedDatabase {
  /** Leads to the service's database; valid for the life of this object. Holds the password: never log it. */
  readonly connectionString: string
  /**
   * Leaves the database; stops the server when no other process uses it. All of it has so many milliseconds. May be
   * called again.
   */
  release(withinMs?: number): Promise<void>
}

interface EmbeddedDatabaseOptions {
  readonly dataDir: string
  /** Makes the database if there is none, by default; false: it must be there. */
  readonly mayCreate?: boolean
  /** A service is alone on its data folder and brings a dead server back; commands work beside it or alone. */
  readonly role: Role
  /** Is told in short lines what goes on. */
  readonly report: (step: string) => void
  /** Ends the opening: it rejects with the signal's reason, and what it had started is stopped. */
  readonly signal?: AbortSignal
}

/**
 * Opens the PostgreSQL of a data folder: makes it, finds it running or starts it. The server outlives a killed
 * process, and the next one finds it. OperatorError when it cannot be had.
 */
export async function openEmbeddedDatabase(options: EmbeddedDatabaseOptions): Promise<EmbeddedDatabase> {
  const signal = options.signal ?? new AbortController().signal
  const { dataDir, report, mayCreate = true } = options
  if (!mayCreate) await requireCluster(dataDir)
  const cluster = await prepareCluster(dataDir, report, signal)
  const server = await enterOwnedDatabase(cluster, options.role, signal)
  const stop = keepPresence(cluster, options.role, server)
  let released: Promise<void> | undefined
  return {
    connectionString: connectionString(cluster, server.port),
    release(withinMs) {
      released ??= stop(withinMs)
      return released
    },
  }
}

/** The server may be lost at any moment of this; then it is found or started again, for up to 60 s. */
async function enterOwnedDatabase(cluster: Cluster, role: Role, signal: AbortSignal): Promise<Server> {
  const wait = createPatience(cluster.report, signal)
  for (;;) {
    const server = await enterServer(cluster, role, undefined, signal)
    try {
      await ensureOwnedDatabase(cluster, server)
      signal.throwIfAborted()
      return server
    } catch (error) {
      await leaveServer(cluster, server.session)
      if (signal.aborted || !mayPass(error)) throw asOperatorError(error, cluster)
    }
    await wait('PostgreSQL, which was lost')
  }
}

function asOperatorError(error: unknown, cluster: Cluster): unknown {
  if (!(error instanceof pg.DatabaseError)) return error
  return new OperatorError(`The database in ${cluster.dir} cannot be used: ${error.message}`, {
    cause: error,
  })
}

/** Comes back whenever the server is lost, in the role of service. The returned function ends that and leaves. */
function keepPresence(cluster: Cluster, role: Role, first: Server): (withinMs?: number) => Promise<void> {
  const leaving = new AbortController()
  let present: Server | undefined
  let comingBack = Promise.resolve()

  function watch(server: Server): void {
    present = server
    const afterwards = server.ended.then(() => {
      present = undefined
      if (role === 'service' && !leaving.signal.aborted) comingBack = withRejectionHandler(comeBack())
    })
    void withRejectionHandler(afterwards)
  }

  async function comeBack(): Promise<void> {
    const quieter = { ...cluster, report: sayOnce(cluster.report) }
    cluster.report('Lost PostgreSQL; bringing it back')
    const server = await enterUntilLeaving(quieter, role, first.port, leaving.signal)
    if (server === undefined) return
    watch(server)
    cluster.report(`PostgreSQL is back (process ${server.pid})`)
  }

  watch(first)
  const hastening = role === 'service' ? hastenShutdowns(cluster) : undefined
  return async (withinMs) => {
    leaving.abort()
    clearInterval(hastening)
    await withTimeout(LONGEST_COME_BACK_MS, comingBack)
    // Without a session, what is left of the server may still be waiting for its last user to stop it.
    const session = present?.session ?? (await findServer(cluster).catch(() => undefined))?.session
    if (session !== undefined) await leaveServer(cluster, session, withinMs)
  }
}

/** So that a server that was asked to stop is soon lost, and comes back. */
function hastenShutdowns(cluster: Cluster): NodeJS.Timeout {
  // What fails now is tried again in a second.
  const check = () => void hastenShutdown(cluster.dir).catch(() => undefined)
  return setInterval(check, SHUTDOWN_CHECK_MS).unref()
}

/** Undefined when leaving came first. */
async function enterUntilLeaving(
  cluster: Cluster,
  role: Role,
  port: number,
  leaving: AbortSignal,
): Promise<Server | undefined> {
  for (let waitMs = FIRST_RETRY_MS; !leaving.aborted; waitMs = Math.min(2 * waitMs, LAST_RETRY_MS)) {
    try {
      return await enterServer(cluster, role, port, leaving)
    } catch (error) {
      if (!leaving.aborted) cluster.report(`PostgreSQL is not back yet: ${(error as Error).message}`)
      await delay(waitMs, undefined, { signal: leaving }).catch(() => undefined)
    }
  }
  return undefined
}

/** A long outage is many attempts; each of their lines is worth reading once. */
function sayOnce(report: (step: string) => void): (step: string) => void {
  const said = new Set<string>()
  return (step) => {
    if (!said.has(step)) report(step)
    said.add(step)
  }
}

/**
 * Makes the service's role and database if they lack: at the first start, or when that was killed in between. The
 * role is no superuser and cannot become one: a fault in the service must not reach the machine's files.
 */
async function ensureOwnedDatabase(cluster: Cluster, { session, port }: Server): Promise<void> {
  await session.query(`SELECT pg_advisory_lock${CLUSTER_SETUP}`)
  try {
    // A failing statement is quoted in the log, and some of these hold a password.
    await session.query('SET log_min_error_statement = panic; SET log_statement = none')
    await session.query('SET log_min_duration_statement = -1')
    await ensureOwnPassword(cluster, session)
    await ensureRole(cluster, session)
    await ensureDatabase(session)
  } finally {
    await session.query(`SELECT pg_advisory_unlock${CLUSTER_SETUP}`)
  }
  await checkOwnerIsTaken(cluster, port)
}

async function ensureRole(cluster: Cluster, session: pg.Client): Promise<void> {
  const { rows } = await session.query<{ is_mighty: boolean }>(
    `SELECT rolsuper OR rolcreaterole OR rolreplication OR rolbypassrls AS is_mighty FROM pg_roles WHERE rolname = $1`,
    [DATABASE],
  )
  const [role] = rows
  if (!role) {
    await session.query(`CREATE ROLE ${DATABASE} LOGIN CREATEDB PASSWORD '${cluster.password}'`)
  } else if (role.is_mighty) {
    await session.query(`ALTER ROLE ${DATABASE} NOSUPERUSER NOCREATEROLE NOREPLICATION NOBYPASSRLS`)
  }
  // Some of PostgreSQL's own roles read files and run programs.
  const { rows: memberships } = await session.query<{ role: string }>(
    'SELECT roleid::regrole::text AS role FROM pg_auth_members WHERE member = $1::regrole',
    [DATABASE],
  )
  for (const membership of memberships) await session.query(`REVOKE ${membership.role} FROM ${DATABASE}`)
}

async function ensureDatabase(session: pg.Client): Promise<void> {
  const { rows } = await session.query<{ owner: string }>(
    'SELECT datdba::regrole::text AS owner FROM pg_database WHERE datname = $1',
    [DATABASE],
  )
  const [database] = rows
  if (!database) await session.query(`CREATE DATABASE ${DATABASE} OWNER ${DATABASE}`)
  else if (database.owner !== DATABASE) await session.query(`ALTER DATABASE ${DATABASE} OWNER TO ${DATABASE}`)
}

/** What the connection string promises. A server too busy for one more is not a fault of the password. */
async function checkOwnerIsTaken(cluster: Cluster, port: number): Promise<void> {
  try {
    const session = await connectAsOwner(cluster, port)
    await session.end()
  } catch (error) {
    if (!mayPass(error)) throw error
  }
}

/** Whoever used it has ended. */
const STOP_MS = 20_000
const OURS = /^postgres$|^postgres\.log(\.1)?$|^postgres\.new-\d+-[0-9a-f]+$/

/**
 * Stops the server of a data folder if one runs and removes all that `openEmbeddedDatabase` put there; the folder
 * too when nothing else is in it. The data is gone: for what was made on the way to something that failed, and for tests.
 */
export async function destroyEmbeddedDatabase(dataDir: string): Promise<void> {
  const dir = await realpath(join(dataDir, 'postgres')).catch(() => undefined)
  if (dir !== undefined) await stopPostmaster(dir, STOP_MS)
  for (const name of await readdir(dataDir).catch(() => [])) {
    if (OURS.test(name)) await rm(join(dataDir, name), { recursive: true, force: true, maxRetries: 5 })
  }
  await rmdir(dataDir).catch(() => undefined)
}
