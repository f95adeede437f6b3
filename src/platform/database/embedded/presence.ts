import { setTimeout as delay } from 'node:timers/promises'
import type pg from 'pg'
import { OperatorError } from '../../../kernel/operator-error.ts'
import { CLUSTER_IN_USE, CLUSTER_SERVICE } from '../advisory-locks.ts'
import type { Cluster } from './cluster.ts'
import { findServer, type Server } from './find-server.ts'
import { createPatience } from './patience.ts'
import { stopPostmaster } from './postmaster.ts'
import { startServer } from './start-server.ts'

export type Role = 'service' | 'command'

/**
 * Advisory locks in the database postgres count who uses the server: every user's session shares IN_USE, and who
 * gets it alone on leaving is the last and stops the server. A killed process gives its locks back by itself.
 */
const SERVICE_WAIT_MS = 1_500
const POLL_MS = 50
/** For a leave, if whoever leaves has no less. */
const LEAVE_MS = 20_000
/** For each answer of a server that is being left, and of the time that is left for it. */
const LAST_WORD_MS = 3_000
const LAST_WORD_PART = 0.5

/**
 * Finds or starts the server and takes part in it. OperatorError when another service has the data folder, or when
 * `port` is demanded and cannot be had.
 */
export async function enterServer(
  cluster: Cluster,
  role: Role,
  port?: number,
  signal?: AbortSignal,
): Promise<Server> {
  const wait = createPatience(cluster.report, signal)
  for (;;) {
    const { server, started } = await reachServer(cluster, port, signal)
    try {
      if (await tryLock(server.session, `pg_try_advisory_lock_shared${CLUSTER_IN_USE}`)) {
        if (port !== undefined && server.port !== port)
          throw new OperatorError('PostgreSQL runs on another port.')
        if (role === 'service') await becomeTheService(cluster, server.session)
        if (!started) cluster.report(`Found PostgreSQL running already (process ${server.pid})`)
        return server
      }
      // Its last user is stopping it.
      await server.session.end()
    } catch (error) {
      await leaveServer(cluster, server.session)
      if (error instanceof OperatorError) throw error
    }
    await wait('PostgreSQL to stop and start')
  }
}

/**
 * Gives the session's part up, and stops the server when nobody else has one. A server that says nothing more is left
 * as it is: our part goes with the connection, and the next start finds the server.
 * @param withinMs for all of it, in milliseconds
 */
export async function leaveServer(cluster: Cluster, session: pg.Client, withinMs = LEAVE_MS): Promise<void> {
  const deadline = performance.now() + withinMs
  const leftMs = () => Math.max(deadline - performance.now(), 0)
  const inTime = async <T>(work: () => Promise<T>): Promise<T> => {
    const silence = setTimeout(
      () => {
        cluster.report('PostgreSQL does not answer; leaving it as it is')
        // What was asked of it fails, and nothing waits for its side of the connection.
        session.connection.stream.destroy()
      },
      Math.min(LAST_WORD_MS, LAST_WORD_PART * leftMs()),
    )
    return await work().finally(() => clearTimeout(silence))
  }
  try {
    await inTime(() => session.query('SELECT pg_advisory_unlock_all()'))
    if (await inTime(() => tryLock(session, `pg_try_advisory_lock${CLUSTER_IN_USE}`))) {
      cluster.report('Stopping PostgreSQL')
      await stopPostmaster(cluster.dir, leftMs())
    }
  } catch (error) {
    if (error instanceof OperatorError) throw error
    // The session is lost: the server has gone, or it has already taken our part from us.
  } finally {
    await inTime(() => session.end())
  }
}

async function reachServer(
  cluster: Cluster,
  port?: number,
  signal?: AbortSignal,
): Promise<{ server: Server; started: boolean }> {
  const found = await findServer(cluster, signal)
  if (found !== undefined) return { server: found, started: false }
  const wait = createPatience(cluster.report, signal)
  cluster.report(`Starting PostgreSQL ${cluster.binaries.version}`)
  for (;;) {
    await startServer(cluster, port, signal)
    const server = await findServer(cluster, signal)
    if (server !== undefined) return { server, started: true }
    await wait('PostgreSQL, which ends as soon as it has started')
  }
}

async function becomeTheService(cluster: Cluster, session: pg.Client): Promise<void> {
  const deadline = performance.now() + SERVICE_WAIT_MS
  // The server may take a moment to notice that a killed service is gone.
  while (!(await tryLock(session, `pg_try_advisory_lock${CLUSTER_SERVICE}`))) {
    if (performance.now() > deadline) {
      throw new OperatorError(
        `Another Claimkeeper service already uses the data folder ${cluster.dataDir}; stop it or set CLAIMKEEPER_DATA_DIR.`,
      )
    }
    await delay(POLL_MS)
  }
}

async function tryLock(session: pg.Client, call: string): Promise<boolean> {
  const { rows } = await session.query<{ taken: boolean }>(`SELECT ${call} AS taken`)
  return rows[0]?.taken === true
}
