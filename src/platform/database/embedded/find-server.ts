import { realpath } from 'node:fs/promises'
import type pg from 'pg'
import type { Cluster } from './cluster.ts'
import { createPatience } from './patience.ts'
import { findPostmaster, hastenShutdown } from './postmaster.ts'
import { connectAsSuperuser, mayPass } from './session.ts'

const HASTEN_AFTER_MS = 1_000

/** A running server that is surely the cluster's, with a session of the superuser on it. */
export interface Server {
  readonly pid: number
  readonly port: number
  readonly session: pg.Client
  /** Settles when the session is over, for whatever reason. */
  readonly ended: Promise<void>
}

/**
 * The cluster's server when it runs; waits up to 60 s while it starts, recovers or stops. Undefined when it does
 * not run (any more). OperatorError when it does not take our password.
 */
export async function findServer(cluster: Cluster, signal?: AbortSignal): Promise<Server | undefined> {
  const wait = createPatience(cluster.report, signal)
  const hastenAt = performance.now() + HASTEN_AFTER_MS
  for (;;) {
    signal?.throwIfAborted()
    const postmaster = await findPostmaster(cluster.dir)
    if (postmaster === undefined) return undefined
    const { pid, port, status } = postmaster
    const entry = port === undefined || status === 'stopping' ? undefined : await tryToEnter(cluster, port)
    if (port !== undefined && entry !== undefined) return { pid, port, ...entry }
    if (performance.now() > hastenAt) await hastenShutdown(cluster.dir)
    await wait(`PostgreSQL (process ${pid}), which is ${status || 'starting'}`)
  }
}

async function tryToEnter(
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
    if (!mayPass(error)) throw error
  }
  // Not taken yet, or the port has just gone to a copy of this cluster, which has the same password.
  await session?.end()
  return undefined
}
