import type { Spent } from './costs.ts'

/** So much of each core may be busy: the rest is for what comes between. */
export const MAX_UTILIZATION = 0.8

/** What there is. */
export interface Machines {
  /** Of Citus; 0 for plain PostgreSQL, where the coordinator stands for the database. */
  workers: number
  coresOfWorker: number
  coordinatorCores: number
  /** Each has one thread. */
  servers: number
  /** Workers that have no shard do nothing; null if there are as many shards as it takes. */
  shards: number | null
}

export type Limit = 'servers' | 'coordinator' | 'workers' | 'database' | 'lanes'

export interface Capacity {
  perSecond: number
  limit: Limit
}

/** How many a second each of the machines can do, if one takes that much. */
function ceilingsOf(one: Spent, machines: Machines): Record<Limit, number> {
  const { workers, coresOfWorker, coordinatorCores, servers, shards } = machines
  const busy = Math.min(workers, shards ?? workers)
  const most = (cores: number, each: number) => (each === 0 ? Infinity : (cores * MAX_UTILIZATION) / each)
  const isPlain = workers === 0
  const coordinator = most(coordinatorCores, one.coordinator)
  return {
    servers: most(servers, one.server),
    coordinator: isPlain ? Infinity : coordinator,
    database: isPlain ? coordinator : Infinity,
    workers: isPlain ? Infinity : most(busy * coresOfWorker, one.workers),
    lanes: Infinity,
  }
}

/** The least of what they can do. */
function least(ceilings: Record<Limit, number>): Capacity {
  const [limit, perSecond] = Object.entries(ceilings).reduce((a, b) => (b[1] < a[1] ? b : a))
  return { limit: limit as Limit, perSecond }
}

export const capacityOf = (one: Spent, machines: Machines): Capacity => least(ceilingsOf(one, machines))

/** What must be there besides so that the workers are busy. */
export function neededFor(one: Spent, perSecond: number): { servers: number; coordinatorCores: number } {
  const cores = (each: number) => Math.ceil((perSecond * each) / MAX_UTILIZATION)
  return { servers: cores(one.server), coordinatorCores: cores(one.coordinator) }
}

export interface CheckTimes {
  /** Batches that a server moves at once. */
  lanes: number
  claimsPerBatch: number
  /** Of one batch, in seconds: the ways to the database and the commit. */
  waits: number
}

/**
 * The check is made by as many servers as have shards of their own. A batch goes from the server to the coordinator and to
 * a worker, and waits for all.
 */
export function checkCapacity(
  one: Spent,
  machines: Machines,
  { lanes, claimsPerBatch, waits }: CheckTimes,
): Capacity {
  const batchSeconds = claimsPerBatch * (one.server + one.coordinator + one.workers) + waits
  const atWork = machines.workers === 0 ? 1 : Math.ceil((machines.shards ?? Infinity) / lanes)
  const servers = Math.min(machines.servers, atWork)
  const ceilings = ceilingsOf(one, { ...machines, servers })
  return least({ ...ceilings, lanes: (servers * lanes * claimsPerBatch) / batchSeconds })
}
