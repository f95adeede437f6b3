import { statfs } from 'node:fs/promises'
import { readClock } from '../platform/database/clock.ts'
import type { Connection } from '../platform/database/connection.ts'
import {
  ENCODING,
  ENCODING_ADVICE,
  lastMigration,
  OLDEST_POSTGRES,
} from '../platform/database/migrate/migrate.ts'
import { CODE_VERSION } from '../platform/database/migrate/migration-files.ts'
import {
  describeSetting,
  type RefusedSetting,
  readRefusedSettings,
  readUnsafeSettings,
} from '../platform/database/require-settings.ts'
import {
  type ConnectionLimit,
  readConnectionLimits,
  readServerFacts,
  type ServerFacts,
} from './doctor-store.ts'
import { type Finding, fault, ok, warning } from './finding.ts'
import { CLOCK_DIFFERENCE_MS, MAX_CONNECTIONS_BESIDE_POOL, MIN_FREE_DISK_BYTES } from './limits.ts'

const MEBIBYTE = 1024 * 1024

interface Processes {
  /** DATABASE_POOL_SIZE, for each process. */
  poolSize: number
  workers: number
}

export interface ServerToCheck extends Processes {
  /** CLAIMKEEPER_ALLOW_UNSAFE_DATABASE */
  allowUnsafe: boolean
}

/** Checks the PostgreSQL server against the settings of the service. */
export async function checkServer(db: Connection, settings: ServerToCheck): Promise<Finding[]> {
  const facts = await readServerFacts(db)
  const sentAt = Date.now()
  const now = await readClock(db)
  const receivedAt = Date.now()
  return [
    checkVersion(facts),
    checkEncoding(facts),
    await checkMigrations(db),
    checkClocks(now.getTime() - (sentAt + receivedAt) / 2, receivedAt - sentAt),
    await checkConnections(db, settings),
    checkDurability(await readUnsafeSettings(db), settings.allowUnsafe),
    checkSession(await readRefusedSettings(db)),
  ]
}

function checkVersion({ version, versionNumber }: ServerFacts): Finding {
  return versionNumber >= OLDEST_POSTGRES * 10_000
    ? ok('PostgreSQL', version)
    : fault('PostgreSQL', version, `Upgrade it to ${OLDEST_POSTGRES} or newer.`)
}

function checkEncoding({ encoding }: ServerFacts): Finding {
  return encoding === ENCODING ? ok('Encoding', encoding) : fault('Encoding', encoding, ENCODING_ADVICE)
}

async function checkMigrations(db: Connection): Promise<Finding> {
  const last = await lastMigration(db)
  const found = `the newest migration of the database is ${last}, and that of this version of Claimkeeper ${CODE_VERSION}`
  if (last === CODE_VERSION) return ok('Migrations', `${last}, the newest`)
  if (last < CODE_VERSION)
    return warning(
      'Migrations',
      found,
      'The next start of the service, or claimkeeper migrate, runs the missing migrations.',
    )
  return fault('Migrations', found, 'Run the newer version of Claimkeeper.')
}

/** @param offsetMs how far the database’s clock is ahead of this machine’s. Its error is at most half of the round-trip time. */
function checkClocks(offsetMs: number, roundTripMs: number): Finding {
  const minDifferenceMs = Math.abs(offsetMs) - roundTripMs / 2
  const found = `the database’s clock is ${Math.abs(Math.round(offsetMs))} ms ${offsetMs < 0 ? 'behind' : 'ahead of'} this machine’s clock`
  const advice = 'Let both machines follow a time server (NTP).'
  if (minDifferenceMs > CLOCK_DIFFERENCE_MS.fault) return fault('Clocks', found, advice)
  return minDifferenceMs > CLOCK_DIFFERENCE_MS.warning
    ? warning('Clocks', found, advice)
    : ok('Clocks', found)
}

function checkDurability(unsafe: readonly string[], allowUnsafe: boolean): Finding {
  if (unsafe.length === 0) return ok('Durability', 'acknowledged data is written to disk')
  const found = `${unsafe.join(', ')} off: acknowledged data may be lost in a crash`
  const advice = `Set ${unsafe.map((name) => `${name} = on`).join(', ')}.`
  return allowUnsafe
    ? warning('Durability', `${found}, which CLAIMKEEPER_ALLOW_UNSAFE_DATABASE accepts`, advice)
    : fault('Durability', found, advice)
}

function checkSession(refused: readonly RefusedSetting[]): Finding {
  if (refused.length === 0) return ok('Session', 'no setting prevents the service from working')
  const advice = refused.map((setting) => setting.advice).join('; ')
  return fault('Session', refused.map(describeSetting).join(', '), `To undo: ${advice}.`)
}

/** Checks the free space of the folder's disk. */
export async function checkDisk(folder: string): Promise<Finding> {
  const { bavail, blocks, bsize } = await statfs(folder)
  const free = bavail * bsize
  const found = `${Math.floor(free / MEBIBYTE).toLocaleString('en')} MiB free, ${Math.floor((100 * bavail) / blocks)} %, of ${folder}`
  const advice = 'Free some space. On a full disk the service cannot record anything.'
  if (free < MIN_FREE_DISK_BYTES.fault) return fault('Disk', found, advice)
  return free < MIN_FREE_DISK_BYTES.warning ? warning('Disk', found, advice) : ok('Disk', found)
}

const ADVICE = 'Lower DATABASE_POOL_SIZE or CLAIMKEEPER_WORKERS, or raise the limit in PostgreSQL.'

/** Checks whether the limits are high enough for a running server. Its connections count as free. */
async function checkConnections(db: Connection, processes: Processes): Promise<Finding> {
  const what = 'Connections'
  const needed = connectionsNeeded(processes)
  const { name, limit, free } = await tightestLimit(db, ({ limit, usedByOthers }) => limit - usedByOthers)
  const found = `${describeNeed(processes)}, and ${free} of ${limit} are free for Claimkeeper (${name})`
  if (needed > free) return fault(what, found, ADVICE)
  // While a server is replaced, two servers run.
  return 2 * needed > free ? warning(what, `${found}: too few for a second server`, ADVICE) : ok(what, found)
}

/** Why a starting server cannot get all its connections; null if it can. Connections of running servers count as used. */
export async function connectionShortage(db: Connection, processes: Processes): Promise<string | null> {
  const { name, limit, usedByOthers, usedByClaimkeeper, free } = await tightestLimit(db, freeForNewServer)
  if (connectionsNeeded(processes) <= free) return null
  const used = usedByOthers + usedByClaimkeeper
  return `PostgreSQL allows too few connections: ${describeNeed(processes)}. The ${name} is ${limit}, and ${used} are in use. ${ADVICE}`
}

/** Describes the limit with the fewest free connections, for a server whose connection PostgreSQL refused. */
export async function describeTightestLimit(db: Connection, poolSize: number): Promise<string> {
  const { name, limit, usedByOthers } = await tightestLimit(db, freeForNewServer)
  return `the ${name} is ${limit}, other programs use ${usedByOthers}, and DATABASE_POOL_SIZE is ${poolSize}. ${ADVICE}`
}

const connectionsNeeded = ({ poolSize, workers }: Processes) =>
  (poolSize + MAX_CONNECTIONS_BESIDE_POOL) * workers

function describeNeed(processes: Processes): string {
  const { poolSize, workers } = processes
  const each = `DATABASE_POOL_SIZE of ${poolSize} and ${MAX_CONNECTIONS_BESIDE_POOL} more`
  const all = workers > 1 ? `${each}, in each of ${workers} workers` : each
  return `this server needs up to ${connectionsNeeded(processes)} (${all})`
}

const freeForNewServer = ({ limit, usedByClaimkeeper, usedByOthers }: ConnectionLimit) =>
  limit - usedByClaimkeeper - usedByOthers

async function tightestLimit(db: Connection, freeOf: (limit: ConnectionLimit) => number) {
  const limits = await readConnectionLimits(db)
  return limits
    .map((limit) => ({ ...limit, free: Math.max(0, freeOf(limit)) }))
    .reduce((tightest, other) => (other.free < tightest.free ? other : tightest))
}
