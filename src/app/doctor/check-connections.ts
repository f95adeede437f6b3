import type { Connection } from '../../storage/database/connection.ts'
import { type ConnectionLimit, readConnectionLimits } from '../../storage/operating/connection-limits.ts'
import { type Finding, fault, ok, warning } from './finding.ts'

/** Connections of each process besides its pool: what listens and watches. */
const BESIDE_THE_POOL = 3

const ADVICE = `Lower DATABASE_POOL_SIZE or CLAIMKEEPER_WORKERS, or raise the limit in PostgreSQL.`

export interface Processes {
  /** DATABASE_POOL_SIZE, of each. */
  poolSize: number
  workers: number
}

/** Beside a server that runs, whose connections are Claimkeeper's too. */
export async function checkConnections(db: Connection, processes: Processes): Promise<Finding> {
  const what = 'Connections'
  const wanted = wantedBy(processes)
  const { free, limit } = narrowest(await readConnectionLimits(db), ({ limit, ofOthers }) => limit - ofOthers)
  const found = `${takes(processes)}, and ${free} of ${limit.limit} are free for Claimkeeper (${limit.name})`
  if (wanted > free) return fault(what, found, ADVICE)
  // A second server while the first is replaced.
  return 2 * wanted > free ? warning(what, `${found}: too few for a second server`, ADVICE) : ok(what, found)
}

/** Why a server that starts will not get all of its connections; null if it will. Those of other servers are taken. */
export async function whyTooFewConnections(db: Connection, processes: Processes): Promise<string | null> {
  const { free, limit } = narrowest(
    await readConnectionLimits(db),
    ({ limit, ofClaimkeeper, ofOthers }) => limit - ofClaimkeeper - ofOthers,
  )
  if (wantedBy(processes) <= free) return null
  const held = `${limit.limit}, ${limit.ofOthers + limit.ofClaimkeeper} of which are taken`
  return `PostgreSQL gives too few connections: ${takes(processes)}, and the ${limit.name} is ${held}. ${ADVICE}`
}

/** What PostgreSQL gives, for a server that was refused a connection. */
export async function describeLimits(db: Connection, poolSize: number): Promise<string> {
  const { limit } = narrowest(
    await readConnectionLimits(db),
    ({ limit, ofClaimkeeper, ofOthers }) => limit - ofClaimkeeper - ofOthers,
  )
  return `the ${limit.name} is ${limit.limit}, others than Claimkeeper have ${limit.ofOthers}, and DATABASE_POOL_SIZE is ${poolSize}. ${ADVICE}`
}

const wantedBy = ({ poolSize, workers }: Processes) => (poolSize + BESIDE_THE_POOL) * workers

function takes(processes: Processes): string {
  const { poolSize, workers } = processes
  const each = `DATABASE_POOL_SIZE of ${poolSize} and ${BESIDE_THE_POOL} more`
  const all = workers > 1 ? `${each}, in each of ${workers} workers` : each
  return `this server takes up to ${wantedBy(processes)} (${all})`
}

function narrowest(
  limits: readonly ConnectionLimit[],
  freeOf: (limit: ConnectionLimit) => number,
): { free: number; limit: ConnectionLimit } {
  const [first] = limits
    .map((limit) => ({ free: Math.max(0, freeOf(limit)), limit }))
    .toSorted((a, b) => a.free - b.free)
  return first as { free: number; limit: ConnectionLimit }
}
