import type { Side } from './side.ts'

/** Usage per second: cores, transactions, and bytes of write-ahead log. Null if the system does not report CPU times. */
export interface Usage {
  server: number | null
  coordinator: number | null
  /** All Citus workers together. 0 on plain PostgreSQL. */
  workers: number | null
  /** Transactions on the coordinator. */
  transactions: number
  walBytes: number
}

interface Reading extends Usage {
  atMs: number
}

export async function readUsage({ server, nodes, databaseName }: Side): Promise<Reading> {
  const [transactions, walBytes] = await Promise.all([nodes.transactions(databaseName), nodes.walBytes()])
  const atMs = performance.now()
  return { atMs, server: server.cpuMs(), ...nodes.cpuMs(), transactions, walBytes }
}

export function usageBetween(first: Reading, last: Reading): Usage {
  const ms = last.atMs - first.atMs
  const cores = (from: number | null, to: number | null) =>
    from === null || to === null ? null : (to - from) / ms
  return {
    server: cores(first.server, last.server),
    coordinator: cores(first.coordinator, last.coordinator),
    workers: cores(first.workers, last.workers),
    transactions: ((last.transactions - first.transactions) * 1000) / ms,
    walBytes: ((last.walBytes - first.walBytes) * 1000) / ms,
  }
}

/** Measures the usage for `forMs` after a delay of `afterMs`. */
export async function usageDuring(side: Side, afterMs: number, forMs: number): Promise<Usage> {
  await pause(afterMs)
  const first = await readUsage(side)
  await pause(forMs)
  return usageBetween(first, await readUsage(side))
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

/** Cores of all PostgreSQL servers. */
export const databaseCores = ({ coordinator, workers }: Usage): number | null =>
  coordinator === null || workers === null ? null : coordinator + workers
