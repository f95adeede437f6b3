import { statfs } from 'node:fs/promises'
import { readClock } from '../platform/database/clock.ts'
import type { Connection } from '../platform/database/connection.ts'
import {
  ENCODING,
  HOW_TO_ENCODE,
  lastMigration,
  OLDEST_POSTGRES,
} from '../platform/database/migrate/migrate.ts'
import { CODE_VERSION } from '../platform/database/migrate/migration-files.ts'
import {
  inWords,
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

/** Beyond this the times that people compare tell two stories; beyond the second, tokens and links end at the wrong time. */
const CLOCKS_APART_MS = { warning: 2_000, fault: 60_000 }
const MEBIBYTE = 1024 * 1024
const FREE_BYTES = { warning: 2_048 * MEBIBYTE, fault: 256 * MEBIBYTE }

export interface ServerToCheck extends Processes {
  allowUnsafe: boolean
}

/** The server of PostgreSQL, and what the settings ask of it. */
export async function checkServer(db: Connection, settings: ServerToCheck): Promise<Finding[]> {
  const facts = await readServerFacts(db)
  const askedAt = Date.now()
  const now = await readClock(db)
  const answeredAt = Date.now()
  return [
    checkVersion(facts),
    checkEncoding(facts),
    await checkMigrations(db),
    checkClocks(now.getTime() - (askedAt + answeredAt) / 2, answeredAt - askedAt),
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
  return encoding === ENCODING ? ok('Encoding', encoding) : fault('Encoding', encoding, HOW_TO_ENCODE)
}

async function checkMigrations(db: Connection): Promise<Finding> {
  const known = CODE_VERSION
  const there = await lastMigration(db)
  const found = `the database has ${there}, this code ${known}`
  if (there === known) return ok('Migrations', `${there}, the newest`)
  if (there < known)
    return warning('Migrations', found, 'The next start, or claimkeeper migrate, adds the others.')
  return fault('Migrations', found, 'Run the newer version of Claimkeeper.')
}

function checkClocks(aheadMs: number, withinMs: number): Finding {
  const apart = Math.abs(aheadMs) - withinMs / 2
  const found = `the database’s is ${Math.abs(Math.round(aheadMs))} ms ${aheadMs < 0 ? 'behind' : 'ahead of'} this machine’s`
  const advice = 'Let both machines follow a time server (NTP).'
  if (apart > CLOCKS_APART_MS.fault) return fault('Clocks', found, advice)
  return apart > CLOCKS_APART_MS.warning ? warning('Clocks', found, advice) : ok('Clocks', found)
}

function checkDurability(unsafe: readonly string[], allowUnsafe: boolean): Finding {
  if (unsafe.length === 0) return ok('Durability', 'what is acknowledged is on the disk')
  const found = `${unsafe.join(', ')} off: what was acknowledged may be lost in a crash`
  const advice = `Set ${unsafe.map((name) => `${name} = on`).join(', ')}.`
  return allowUnsafe
    ? warning('Durability', `${found}, which CLAIMKEEPER_ALLOW_UNSAFE_DATABASE takes`, advice)
    : fault('Durability', found, advice)
}

function checkSession(refused: readonly RefusedSetting[]): Finding {
  if (refused.length === 0) return ok('Session', 'no setting prevents the service from working')
  const advice = refused.map((setting) => setting.advice).join('; ')
  return fault('Session', refused.map(inWords).join(', '), `To undo: ${advice}.`)
}

/** The disk that a folder is on. */
export async function checkDisk(folder: string): Promise<Finding> {
  const { bavail, blocks, bsize } = await statfs(folder)
  const free = bavail * bsize
  const found = `${Math.floor(free / MEBIBYTE).toLocaleString('en')} MiB free, ${Math.floor((100 * bavail) / blocks)} %, of ${folder}`
  const advice = 'Make room: on a full disk nothing can be recorded.'
  if (free < FREE_BYTES.fault) return fault('Disk', found, advice)
  return free < FREE_BYTES.warning ? warning('Disk', found, advice) : ok('Disk', found)
}

/** Each process has them besides its pool, to listen and to watch. */
const CONNECTIONS_BESIDE_POOL = 3

const ADVICE = 'Lower DATABASE_POOL_SIZE or CLAIMKEEPER_WORKERS, or raise the limit in PostgreSQL.'

export interface Processes {
  /** DATABASE_POOL_SIZE, of each. */
  poolSize: number
  workers: number
}

/** Connections of a running server of Claimkeeper count as free. */
async function checkConnections(db: Connection, processes: Processes): Promise<Finding> {
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
  const { name, limit, ofOthers, ofClaimkeeper, free } = await tightestLimit(db, freeForNewServer)
  if (connectionsNeeded(processes) <= free) return null
  const taken = ofOthers + ofClaimkeeper
  return `PostgreSQL gives too few connections: ${describeNeed(processes)}, and the ${name} is ${limit}, ${taken} of which are taken. ${ADVICE}`
}

/** For a server that was refused a connection. */
export async function describeTightestLimit(db: Connection, poolSize: number): Promise<string> {
  const { name, limit, ofOthers } = await tightestLimit(db, freeForNewServer)
  return `the ${name} is ${limit}, other programs use ${ofOthers}, and DATABASE_POOL_SIZE is ${poolSize}. ${ADVICE}`
}

const connectionsNeeded = ({ poolSize, workers }: Processes) => (poolSize + CONNECTIONS_BESIDE_POOL) * workers

function describeNeed(processes: Processes): string {
  const { poolSize, workers } = processes
  const each = `DATABASE_POOL_SIZE of ${poolSize} and ${CONNECTIONS_BESIDE_POOL} more`
  const all = workers > 1 ? `${each}, in each of ${workers} workers` : each
  return `this server takes up to ${connectionsNeeded(processes)} (${all})`
}

const freeForNewServer = ({ limit, ofClaimkeeper, ofOthers }: ConnectionLimit) =>
  limit - ofClaimkeeper - ofOthers

async function tightestLimit(db: Connection, freeOf: (limit: ConnectionLimit) => number) {
  const limits = await readConnectionLimits(db)
  return limits
    .map((limit) => ({ ...limit, free: Math.max(0, freeOf(limit)) }))
    .reduce((tightest, other) => (other.free < tightest.free ? other : tightest))
}
