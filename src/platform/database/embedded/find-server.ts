import { realpath } from 'node:fs/promises'
import type pg from 'pg'
import { SMART_SHUTDOWN_TIMEOUT_MS } from '../limits.ts'
import { createBoundedWait } from './bounded-wait.ts'
import type { Cluster } from './cluster.ts'
import { escalateSmartShutdown, findPostmaster } from './postmaster.ts'
import { connectAsSuperuser, isTransientFailure } from './session.ts'

/** A running server of the cluster, verified by its data directory, with a superuser session. */
export interface Server {
  readonly pid: number
  readonly port: number
  readonly session: pg.Client
  /** Resolves when the session ends, for any reason. */
  readonly ended: Promise<void>
}

/**
 * The cluster's running server; undefined if it does not run. Waits up to 60 s while the server starts, recovers or stops.
 * @throws OperatorError if the server rejects the password
 */
export async function findServer(cluster: Cluster, signal?: AbortSignal): Promise<Server | undefined> {
  const wait = createBoundedWait(cluster.report, signal)
  const escalateAt = performance.now() + SMART_SHUTDOWN_TIMEOUT_MS
  for (;;) {
    signal?.throwIfAborted()
    const postmaster = await findPostmaster(cluster.dir)
    if (postmaster === undefined) return undefined
    const { pid, port, status } = postmaster
    const connected =
      port === undefined || status === 'stopping' ? undefined : await tryToConnect(cluster, port)
    if (port !== undefined && connected !== undefined) return { pid, port, ...connected }
    if (performance.now() > escalateAt) await escalateSmartShutdown(cluster.dir)
    await wait(`PostgreSQL (process ${pid}), which is ${status || 'starting'}`)
  }
}

async function tryToConnect(
  cluster: Cluster,
  port: number,
): Promise<Pick<Server, 'session' | 'ended'> | undefined> {
  let session: pg.Client | undefined
  try {
    session = await connectAsSuperuser(cluster, port)
    const ended = new Promise<void>((resolve) => session?.once('end', resolve))
    const { rows } = await session.query<{ dir: string }>("SELECT current_setting('data_directory') AS dir")
    if ((await realpath(rows[0]?.dir ?? '')) === cluster.dir) return { session, ended }
  } catch (error) {
    if (!isTransientFailure(error)) throw error
  }
  // The server does not accept connections yet, or the port now belongs to a copy of this cluster with the same password.
  await session?.end()
  return undefined
}
