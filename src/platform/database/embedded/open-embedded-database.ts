import { readdir, realpath, rm, rmdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { OperatorError } from '../../../kernel/operator-error.ts'
import { withRejectionHandler, withTimeout } from '../../../kernel/promises.ts'
import { CLUSTER_SETUP } from '../advisory-locks.ts'
import {
  MAX_RESTART_PAUSE_MS,
  MAX_RESTART_WAIT_MS,
  MIN_RESTART_PAUSE_MS,
  POSTGRES_STOP_TIMEOUT_MS,
  SHUTDOWN_CHECK_INTERVAL_MS,
} from '../limits.ts'
import { createBoundedWait } from './bounded-wait.ts'
import { type Cluster, DATABASE, prepareCluster, requireCluster } from './cluster.ts'
import { findServer, type Server } from './find-server.ts'
import { escalateSmartShutdown, stopPostmaster } from './postmaster.ts'
import { enterServer, leaveServer, type Role } from './presence.ts'
import { connectAsOwner, connectionString, ensureOwnPassword, isTransientFailure } from './session.ts'

export interface EmbeddedDatabase {
  /** The address of the service's database, valid until the release. It contains the password: never log it. */
  readonly connectionString: string
  /**
   * Leaves the database, and stops the server if no other process uses it. May be called again.
   * @param withinMs the time that it may take
   */
  release(withinMs?: number): Promise<void>
}

interface EmbeddedDatabaseOptions {
  readonly dataDir: string
  /** Whether a missing database is created. True by default. */
  readonly mayCreate?: boolean
  /** Only one service uses a data folder, and it restarts a lost server. Commands may run beside it. */
  readonly role: Role
  /** Receives each step in words. */
  readonly report: (step: string) => void
  /** Aborts the opening: it stops what it has started and rejects with the signal's reason. */
  readonly signal?: AbortSignal
}

/**
 * Creates, finds or starts the PostgreSQL of a data folder. The server survives a killed process, and the next process finds it.
 * @throws OperatorError if it cannot be opened
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

/** Finds or starts the server again, for up to 60 s, if it is lost meanwhile. */
async function enterOwnedDatabase(cluster: Cluster, role: Role, signal: AbortSignal): Promise<Server> {
  const wait = createBoundedWait(cluster.report, signal)
  for (;;) {
    const server = await enterServer(cluster, role, undefined, signal)
    try {
      await ensureOwnedDatabase(cluster, server)
      signal.throwIfAborted()
      return server
    } catch (error) {
      await leaveServer(cluster, server.session)
      if (signal.aborted || !isTransientFailure(error)) throw asOperatorError(error, cluster)
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

/** As a service, restarts the server whenever it is lost. The returned function ends this and leaves the server. */
function keepPresence(cluster: Cluster, role: Role, first: Server): (withinMs?: number) => Promise<void> {
  const leaving = new AbortController()
  let present: Server | undefined
  let restarting = Promise.resolve()

  function watch(server: Server): void {
    present = server
    const afterwards = server.ended.then(() => {
      present = undefined
      if (role === 'service' && !leaving.signal.aborted) restarting = withRejectionHandler(restart())
    })
    void withRejectionHandler(afterwards)
  }

  async function restart(): Promise<void> {
    const quieter = { ...cluster, report: reportOnce(cluster.report) }
    cluster.report('Lost PostgreSQL; restarting it')
    const server = await enterUntilLeaving(quieter, role, first.port, leaving.signal)
    if (server === undefined) return
    watch(server)
    cluster.report(`PostgreSQL runs again (process ${server.pid})`)
  }

  watch(first)
  const escalation = role === 'service' ? pollForSmartShutdown(cluster) : undefined
  return async (withinMs) => {
    leaving.abort()
    clearInterval(escalation)
    await withTimeout(MAX_RESTART_WAIT_MS, restarting)
    // Without a session the server may still run, and this process may be its last user.
    const session = present?.session ?? (await findServer(cluster).catch(() => undefined))?.session
    if (session !== undefined) await leaveServer(cluster, session, withinMs)
  }
}

/** Completes a smart shutdown soon, so that the server can be restarted. */
function pollForSmartShutdown(cluster: Cluster): NodeJS.Timeout {
  // The next check repeats a failed one.
  const check = () => void escalateSmartShutdown(cluster.dir).catch(() => undefined)
  return setInterval(check, SHUTDOWN_CHECK_INTERVAL_MS).unref()
}

/** Undefined if the process leaves first. */
async function enterUntilLeaving(
  cluster: Cluster,
  role: Role,
  port: number,
  leaving: AbortSignal,
): Promise<Server | undefined> {
  for (
    let waitMs = MIN_RESTART_PAUSE_MS;
    !leaving.aborted;
    waitMs = Math.min(2 * waitMs, MAX_RESTART_PAUSE_MS)
  ) {
    try {
      return await enterServer(cluster, role, port, leaving)
    } catch (error) {
      if (!leaving.aborted) cluster.report(`PostgreSQL does not run yet: ${(error as Error).message}`)
      await delay(waitMs, undefined, { signal: leaving }).catch(() => undefined)
    }
  }
  return undefined
}

/** Reports each distinct line once: a long outage has many attempts. */
function reportOnce(report: (step: string) => void): (step: string) => void {
  const reported = new Set<string>()
  return (step) => {
    if (!reported.has(step)) report(step)
    reported.add(step)
  }
}

/**
 * Creates the service's role and database if they are missing: at the first start, or if that was killed. The role is not a superuser
 * and cannot become one, so that a fault of the service cannot reach files of the machine.
 */
async function ensureOwnedDatabase(cluster: Cluster, { session, port }: Server): Promise<void> {
  await session.query(`SELECT pg_advisory_lock${CLUSTER_SETUP}`)
  try {
    // PostgreSQL logs failed statements, and some of these contain a password.
    await session.query('SET log_min_error_statement = panic; SET log_statement = none')
    await session.query('SET log_min_duration_statement = -1')
    await ensureOwnPassword(cluster, session)
    await ensureRole(cluster, session)
    await ensureDatabase(session)
  } finally {
    await session.query(`SELECT pg_advisory_unlock${CLUSTER_SETUP}`)
  }
  await checkOwnerPassword(cluster, port)
}

async function ensureRole(cluster: Cluster, session: pg.Client): Promise<void> {
  const { rows } = await session.query<{ is_privileged: boolean }>(
    `SELECT rolsuper OR rolcreaterole OR rolreplication OR rolbypassrls AS is_privileged FROM pg_roles WHERE rolname = $1`,
    [DATABASE],
  )
  const [role] = rows
  if (!role) {
    await session.query(`CREATE ROLE ${DATABASE} LOGIN CREATEDB PASSWORD '${cluster.password}'`)
  } else if (role.is_privileged) {
    await session.query(`ALTER ROLE ${DATABASE} NOSUPERUSER NOCREATEROLE NOREPLICATION NOBYPASSRLS`)
  }
  // Members of some predefined roles can read files and run programs.
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

/** Checks that the connection string works. A server without a free connection is not an error. */
async function checkOwnerPassword(cluster: Cluster, port: number): Promise<void> {
  try {
    const session = await connectAsOwner(cluster, port)
    await session.end()
  } catch (error) {
    if (!isTransientFailure(error)) throw error
  }
}

const OWN_FILES = /^postgres$|^postgres\.log(\.1)?$|^postgres\.new-\d+-[0-9a-f]+$/

/**
 * Stops the server of a data folder and removes everything that `openEmbeddedDatabase` created, including the folder if nothing else is
 * in it. The data is lost: for temporary databases and tests.
 */
export async function destroyEmbeddedDatabase(dataDir: string): Promise<void> {
  const dir = await realpath(join(dataDir, 'postgres')).catch(() => undefined)
  if (dir !== undefined) await stopPostmaster(dir, POSTGRES_STOP_TIMEOUT_MS)
  for (const name of await readdir(dataDir).catch(() => [])) {
    if (OWN_FILES.test(name)) await rm(join(dataDir, name), { recursive: true, force: true, maxRetries: 5 })
  }
  await rmdir(dataDir).catch(() => undefined)
}
