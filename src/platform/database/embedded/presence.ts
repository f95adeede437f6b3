import { setTimeout as delay } from 'node:timers/promises'
import type pg from 'pg'
import { OperatorError } from '../../../kernel/operator-error.ts'
import { CLUSTER_IN_USE, CLUSTER_SERVICE } from '../advisory-locks.ts'
import {
  LEAVE_RESPONSE_SHARE,
  LEAVE_RESPONSE_TIMEOUT_MS,
  POSTGRES_STOP_TIMEOUT_MS,
  SERVICE_LOCK_POLL_MS,
  SERVICE_LOCK_TIMEOUT_MS,
} from '../limits.ts'
import { createBoundedWait } from './bounded-wait.ts'
import type { Cluster } from './cluster.ts'
import { findServer, type Server } from './find-server.ts'
import { stopPostmaster } from './postmaster.ts'
import { startServer } from './start-server.ts'

/*
 * Advisory locks in the database postgres track the processes that use the server. Each holds the lock IN_USE in shared mode. A process
 * that leaves tries to get it exclusively: if it succeeds, it is the last one and stops the server. The locks of a killed process are
 * released with its session.
 */

export type Role = 'service' | 'command'

/**
 * Finds or starts the server and registers this process as its user.
 * @throws OperatorError if another service uses the data folder, or the server cannot have `port`
 */
export async function enterServer(
  cluster: Cluster,
  role: Role,
  port?: number,
  signal?: AbortSignal,
): Promise<Server> {
  const wait = createBoundedWait(cluster.report, signal)
  for (;;) {
    const { server, started } = await reachServer(cluster, port, signal)
    try {
      if (await tryLock(server.session, `pg_try_advisory_lock_shared${CLUSTER_IN_USE}`)) {
        if (port !== undefined && server.port !== port)
          throw new OperatorError('PostgreSQL runs on another port.')
        if (role === 'service') await lockService(cluster, server.session)
        if (!started) cluster.report(`Found PostgreSQL running already (process ${server.pid})`)
        return server
      }
      // The last user is stopping the server.
      await server.session.end()
    } catch (error) {
      await leaveServer(cluster, server.session)
      if (error instanceof OperatorError) throw error
    }
    await wait('PostgreSQL to stop and start')
  }
}

/**
 * Releases the session's locks, and stops the server if no other process uses it. A server that does not answer is left running: the
 * locks end with the connection, and the next start finds the server.
 * @param withinMs the time that it may take
 */
export async function leaveServer(
  cluster: Cluster,
  session: pg.Client,
  withinMs = POSTGRES_STOP_TIMEOUT_MS,
): Promise<void> {
  const deadline = performance.now() + withinMs
  const leftMs = () => Math.max(deadline - performance.now(), 0)
  const inTime = async <T>(work: () => Promise<T>): Promise<T> => {
    const timer = setTimeout(
      () => {
        cluster.report('PostgreSQL does not answer; leaving it running')
        // Pending statements fail, and closing does not wait for the server.
        session.connection.stream.destroy()
      },
      Math.min(LEAVE_RESPONSE_TIMEOUT_MS, LEAVE_RESPONSE_SHARE * leftMs()),
    )
    return await work().finally(() => clearTimeout(timer))
  }
  try {
    await inTime(() => session.query('SELECT pg_advisory_unlock_all()'))
    if (await inTime(() => tryLock(session, `pg_try_advisory_lock${CLUSTER_IN_USE}`))) {
      cluster.report('Stopping PostgreSQL')
      await stopPostmaster(cluster.dir, leftMs())
    }
  } catch (error) {
    if (error instanceof OperatorError) throw error
    // The session is lost, and its locks with it.
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
  const wait = createBoundedWait(cluster.report, signal)
  cluster.report(`Starting PostgreSQL ${cluster.binaries.version}`)
  for (;;) {
    await startServer(cluster, port, signal)
    const server = await findServer(cluster, signal)
    if (server !== undefined) return { server, started: true }
    await wait('PostgreSQL, which ends as soon as it has started')
  }
}

async function lockService(cluster: Cluster, session: pg.Client): Promise<void> {
  const deadline = performance.now() + SERVICE_LOCK_TIMEOUT_MS
  while (!(await tryLock(session, `pg_try_advisory_lock${CLUSTER_SERVICE}`))) {
    if (performance.now() > deadline) {
      throw new OperatorError(
        `Another Claimkeeper service already uses the data folder ${cluster.dataDir}; stop it or set CLAIMKEEPER_DATA_DIR.`,
      )
    }
    await delay(SERVICE_LOCK_POLL_MS)
  }
}

async function tryLock(session: pg.Client, call: string): Promise<boolean> {
  const { rows } = await session.query<{ taken: boolean }>(`SELECT ${call} AS taken`)
  return rows[0]?.taken === true
}
