import type { Connection } from '../platform/database/connection.ts'
import { type ConnectionLimit, readConnectionLimits } from './connection-limit-store.ts'
import { type Finding, fault, ok, warning } from './finding.ts'

/** Each process has them besides its pool, to listen and to watch. */
const CONNECTIONS_BESIDE_POOL = 3

const ADVICE = 'Lower DATABASE_POOL_SIZE or CLAIMKEEPER_WORKERS, or raise the limit in PostgreSQL.'

export interface Processes {
  /** DATABASE_POOL_SIZE, of each. */
  poolSize: number
  workers: number
}

/** Connections of a running server of Claimkeeper count as free. */
export async function checkConnections(db: Connection, processes: Processes): Promise<Finding> {
  const what = 'Connections'
  const needed = connectionsNeeded(processes)
  const { name, limit, free } = await tightestLimit(db, ({ limit, ofOthers }) => limit - ofOthers)
  const found = `${describeNeed(processes)}, and ${free} of ${limit} are free for Claimkeeper (${name})`
  if (needed > free) return fault(what, found, ADVICE)
  // While a server is replaced, two run.
  return 2 * needed > free ? warning(what, `${found}: too few for a second server`, ADVICE) : ok(what, found)
}

/** Why a starting server will not get all of its connections; null if it will. Connections of other servers are not free. */
export async function whyTooFewConnections(db: Connection, processes: Processes): Promise<string | null> {
  const { name, limit, ofOthers, ofClaimkeeper, free } = await tightestLimit(db, freeForNew)
  if (connectionsNeeded(processes) <= free) return null
  const taken = ofOthers + ofClaimkeeper
  return `PostgreSQL gives too few connections: ${describeNeed(processes)}, and the ${name} is ${limit}, ${taken} of which are taken. ${ADVICE}`
}

/** For a server that was refused a connection. */
export async function describeTightestLimit(db: Connection, poolSize: number): Promise<string> {
  const { name, limit, ofOthers } = await tightestLimit(db, freeForNew)
  return `the ${name} is ${limit}, others than Claimkeeper have ${ofOthers}, and DATABASE_POOL_SIZE is ${poolSize}. ${ADVICE}`
}

const connectionsNeeded = ({ poolSize, workers }: Processes) => (poolSize + CONNECTIONS_BESIDE_POOL) * workers

function describeNeed(processes: Processes): string {
  const { poolSize, workers } = processes
  const each = `DATABASE_POOL_SIZE of ${poolSize} and ${CONNECTIONS_BESIDE_POOL} more`
  const all = workers > 1 ? `${each}, in each of ${workers} workers` : each
  return `this server takes up to ${connectionsNeeded(processes)} (${all})`
}

const freeForNew = ({ limit, ofClaimkeeper, ofOthers }: ConnectionLimit) => limit - ofClaimkeeper - ofOthers

async function tightestLimit(db: Connection, freeOf: (limit: ConnectionLimit) => number) {
  const limits = await readConnectionLimits(db)
  return limits
    .map((limit) => ({ ...limit, free: Math.max(0, freeOf(limit)) }))
    .reduce((tightest, other) => (other.free < tightest.free ? other : tightest))
}
