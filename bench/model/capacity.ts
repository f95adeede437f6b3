import type { Spent } from './costs.ts'

/** Maximum utilization of each core. The rest is headroom. */
export const MAX_UTILIZATION = 0.8

/** The machines of a cluster. */
export interface Machines {
  /** Citus workers. 0 for plain PostgreSQL: the coordinator is then the database. */
  workers: number
  coresOfWorker: number
  coordinatorCores: number
  /** Server processes, of one thread each. */
  servers: number
  /** Workers without a shard are idle. Null for as many shards as the workers need. */
  shards: number | null
}

export type Limit = 'servers' | 'coordinator' | 'workers' | 'database' | 'concurrency'

export interface Capacity {
  perSecond: number
  limit: Limit
}

/** The rate per second that each kind of machine allows, by the cost of an event or a transition. */
function ceilingsOf(unitCost: Spent, machines: Machines): Record<Limit, number> {
  const { workers, coresOfWorker, coordinatorCores, servers, shards } = machines
  const busy = Math.min(workers, shards ?? workers)
  const maxRate = (cores: number, cost: number) => (cost === 0 ? Infinity : (cores * MAX_UTILIZATION) / cost)
  const isPlain = workers === 0
  const coordinator = maxRate(coordinatorCores, unitCost.coordinator)
  return {
    servers: maxRate(servers, unitCost.server),
    coordinator: isPlain ? Infinity : coordinator,
    database: isPlain ? coordinator : Infinity,
    workers: isPlain ? Infinity : maxRate(busy * coresOfWorker, unitCost.workers),
    concurrency: Infinity,
  }
}

/** The lowest rate and its limit. */
function least(ceilings: Record<Limit, number>): Capacity {
  const [limit, perSecond] = Object.entries(ceilings).reduce((a, b) => (b[1] < a[1] ? b : a))
  return { limit: limit as Limit, perSecond }
}

export const capacityOf = (unitCost: Spent, machines: Machines): Capacity =>
  least(ceilingsOf(unitCost, machines))

/** The servers and coordinator cores that this rate needs. */
export function neededFor(unitCost: Spent, perSecond: number): { servers: number; coordinatorCores: number } {
  const cores = (each: number) => Math.ceil((perSecond * each) / MAX_UTILIZATION)
  return { servers: cores(unitCost.server), coordinatorCores: cores(unitCost.coordinator) }
}

export interface CheckTimes {
  /** Concurrent batches of a server. */
  concurrentBatches: number
  claimsPerBatch: number
  /** Waiting time of one batch, in seconds: round trips to the database and the commit. */
  waits: number
}

/**
 * The capacity of the scheduled check. Each server checks shards of its own, so servers without a shard are idle. A batch uses
 * the server, the coordinator and a worker one after the other.
 */
export function checkCapacity(
  unitCost: Spent,
  machines: Machines,
  { concurrentBatches, claimsPerBatch, waits }: CheckTimes,
): Capacity {
  const batchSeconds = claimsPerBatch * (unitCost.server + unitCost.coordinator + unitCost.workers) + waits
  const active = machines.workers === 0 ? 1 : Math.ceil((machines.shards ?? Infinity) / concurrentBatches)
  const servers = Math.min(machines.servers, active)
  const ceilings = ceilingsOf(unitCost, { ...machines, servers })
  return least({ ...ceilings, concurrency: (servers * concurrentBatches * claimsPerBatch) / batchSeconds })
}
