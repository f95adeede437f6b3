import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type pg from 'pg'
import { descriptorsOf, residentMbOf } from '../../bench/process-figures.ts'
import type { Attack } from './attack.ts'
import type { Orders, Seen } from './attacker.ts'
import type { Errand, Fared } from './honest.ts'
import { addAccount, Stage } from './stage.ts'

const ATTACKER = fileURLToPath(new URL('attacker.ts', import.meta.url))
const HONEST = fileURLToPath(new URL('honest.ts', import.meta.url))

/** What the service is to look like a minute after. */
export const MAX_MB_AFTER = 220
export const MAX_MB_DURING = 350
export const MAX_P95_MS = 250
/** Of webhooks, which wait behind nobody else's. */
export const MAX_WEBHOOK_P95_MS = 1_000

const SAMPLE_MS = 100
const DEADLOCK = '40P01'
const MAX_ATTEMPTS = 10
/** A service that takes so much has lost, and the machine is others' too: the attack ends. */
const ENOUGH_MB = 1_500
/** Some go on growing after it: this machine must not go with them. */
const KILLED_AT_MB = 4_000
const HONEST_CLAIMS = 20
const EVENTS_A_SECOND = 50
const MINUTE_MS = 60_000
/** An attack on the check begins so long before its minute. */
const BEFORE_CHECK_MS = 1_500
/** The database's connections and files that were opened meanwhile are no leak. */
export const SPARE_DESCRIPTORS = 24

export interface Victim {
  url: string
  pid: number
  /** A connection of its own to the service's database. */
  sql: pg.Client
}

export interface Options {
  /** How long the attack goes on. */
  ms: number
  /** How long the honest caller is alone before. */
  warmupMs: number
  /** How long the memory and the descriptors have to come back. */
  calmMs: number
  /** What the memory must come back to, if anything. */
  calmMb: number
  /** The same where the attacker stays; 0 to have none stay. */
  staysMs: number
  scale: number
}

/** What an attack did. Memory in MB, latencies in milliseconds. */
export interface Damage {
  isAlive: boolean
  p50: number
  p95: number
  slowest: number
  slowestCreation: number
  slowestRead: number
  /** Of the second account's webhooks, and how many of its claims had no notification. */
  webhookP95: number
  unnotified: number
  sent: number
  refused: number
  firstRefusal: string | null
  /** Events that were acknowledged, and are not in the log exactly once; and claims that are not there. */
  lost: number
  peakMb: number
  /** As soon as it was low enough, at the latest after `calmMs`. */
  mbAfter: number
  /** Above those before: at most, and at the end. */
  descriptorsPeak: number
  descriptorsLeft: number
  /** What the attacker saw. */
  seen: Record<string, number>
  ownDelayMs: number
}

/** Attacks the service while somebody else uses it, and tells how both fared. Of several attacks each is another's. */
export async function measureAttack(
  attacks: Attack | readonly Attack[],
  victim: Victim,
  options: Options,
): Promise<Damage> {
  const all = [attacks].flat()
  const { sql } = victim
  const orders = await prepare(all, victim, options.scale)
  const errand = await honestErrand(victim)
  const watch = new Watch(victim.pid)
  if (all.some(({ duringCheck }) => duringCheck)) await pause(untilCheck(options.warmupMs + BEFORE_CHECK_MS))

  const honest = startProcess(HONEST, errand)
  await Promise.race([pause(options.warmupMs), honest.ended])
  honest.process.send('count')
  const attacker = startProcess(ATTACKER, orders)
  await Promise.race([pause(options.ms), watch.enough])
  const { counts, error } = (await attacker.stop()) as Seen
  if (error !== null) throw new Error(`the attack ${orders.map(({ name }) => name)} is broken: ${error}`)
  const stays = all.some(({ stays }) => stays) && options.staysMs > 0
  if (!stays) await attacker.leave()
  const fared = (await honest.stop()) as Fared
  await honest.leave()
  const after = await watch.calm(stays ? options.staysMs : options.calmMs, options.calmMb)
  await attacker.leave()
  // The receiver is gone: remaining notifications must not count for the next attack.
  await forgetWebhooks(sql)
  return {
    ...summary(fared),
    ...after,
    lost:
      (await countLost(sql, errand.claims, fared.acknowledged)) + (await countMissing(sql, fared.created)),
    seen: counts,
  }
}

/** The service works with them still, and takes their locks in an order of its own: one of both may have to give way. */
async function forgetWebhooks(sql: pg.Client): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      await sql.query('TRUNCATE webhook_endpoints, webhook_deliveries, webhook_attempts')
      return
    } catch (error) {
      if ((error as pg.DatabaseError).code !== DEADLOCK || tries === MAX_ATTEMPTS) throw error
    }
  }
}

async function prepare(attacks: readonly Attack[], { sql, url }: Victim, scale: number): Promise<Orders> {
  const orders: Orders = []
  for (const attack of attacks) {
    const stage = new Stage(sql, url, await addAccount(sql, 'attacker'), scale)
    const prepared = (await attack.prepare?.(stage)) ?? {}
    orders.push({ name: attack.name, target: { url, account: stage.account, prepared } })
  }
  return orders
}

const untilCheck = (leadMs: number) => (2 * MINUTE_MS - ((Date.now() + leadMs) % MINUTE_MS)) % MINUTE_MS

async function honestErrand({ url, sql }: Victim): Promise<Errand> {
  const account = await addAccount(sql, 'honest')
  const first = await new Stage(sql, url, account, 1).claims({ count: HONEST_CLAIMS })
  const claims = Array.from(
    { length: HONEST_CLAIMS },
    (_, i) => first.slice(0, 24) + (1 + i).toString(16).padStart(12, '0'),
  )
  return { url, account, claims, perSecond: EVENTS_A_SECOND }
}

interface Started {
  process: ChildProcess
  ended: Promise<unknown>
  /** Ends its work. What it says at the end. */
  stop: () => Promise<unknown>
  leave: () => Promise<unknown>
}

function startProcess(file: string, order: object): Started {
  const child = fork(file, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
  const answer = new Promise<unknown>((resolve, reject) => {
    child.once('message', resolve)
    child.once('error', reject)
    child.once('exit', (code, signal) => reject(new Error(`${file} ended with ${code ?? signal}`)))
  })
  answer.catch(() => {})
  child.send(order)
  const ended = once(child, 'exit')
  const say = (word: string) => void (child.connected && child.send(word, () => {}))
  const stop = () => {
    say('stop')
    return answer
  }
  const leave = () => {
    say('leave')
    return ended
  }
  return { process: child, ended, stop, leave }
}

function summary({
  submissions,
  creations,
  reads,
  webhooks,
  unnotified,
  refused,
  firstRefusal,
  ownDelayMs,
}: Fared) {
  const all = [...submissions, ...creations, ...reads].sort((a, b) => a - b)
  return {
    p50: percentile(50, all),
    p95: percentile(95, all),
    slowest: all.at(-1) ?? 0,
    webhookP95: percentile(
      95,
      webhooks.toSorted((a, b) => a - b),
    ),
    unnotified,
    slowestCreation: Math.max(0, ...creations),
    slowestRead: Math.max(0, ...reads),
    sent: all.length,
    refused: Object.values(refused).reduce((sum, count) => sum + count, 0),
    firstRefusal,
    ownDelayMs,
  }
}

/** Of what is sorted; 0 of nothing. */
const percentile = (percent: number, sorted: readonly number[]) =>
  sorted[Math.min(Math.floor((sorted.length * percent) / 100), sorted.length - 1)] ?? 0

async function countLost(sql: pg.Client, claims: string[], acknowledged: string[]): Promise<number> {
  const { rows } = await sql.query<{ id: string }>(
    'SELECT id FROM claim_events WHERE claim_id = ANY ($1) GROUP BY id HAVING count(*) = 1',
    [claims],
  )
  const stored = new Set(rows.map(({ id }) => id))
  return acknowledged.filter((id) => !stored.has(id)).length
}

async function countMissing(sql: pg.Client, created: string[]): Promise<number> {
  const { rows } = await sql.query<{ count: number }>(
    'SELECT count(*)::integer AS count FROM claims WHERE id = ANY ($1)',
    [created],
  )
  return created.length - (rows[0]?.count ?? 0)
}

/** Looks at the service's process from outside. */
class Watch {
  readonly #pid: number
  readonly #before: number
  readonly #timer: NodeJS.Timeout
  /** Resolves when the memory is beyond all bounds, or the process has ended. */
  readonly enough: Promise<void>
  #isEnough: () => void = () => {}
  #peakMb = 0
  #descriptorsPeak = 0

  constructor(pid: number) {
    this.#pid = pid
    this.#before = descriptorsOf(pid) ?? 0
    this.enough = new Promise((resolve) => {
      this.#isEnough = resolve
    })
    this.#timer = setInterval(() => this.#sample(), SAMPLE_MS)
  }

  descriptors(): number {
    return (descriptorsOf(this.#pid) ?? 0) - this.#before
  }

  /** Waits until memory and descriptors are back, and no longer than it may take. */
  async calm(timeoutMs: number, maxMb: number) {
    const peaks = { peakMb: this.#peakMb, descriptorsPeak: this.#descriptorsPeak }
    const deadline = performance.now() + timeoutMs
    while (performance.now() < deadline && isAlive(this.#pid) && !this.#isCalm(maxMb)) await pause(SAMPLE_MS)
    clearInterval(this.#timer)
    return {
      ...peaks,
      isAlive: isAlive(this.#pid),
      mbAfter: residentMbOf(this.#pid) ?? 0,
      descriptorsLeft: isAlive(this.#pid) ? Math.max(0, this.descriptors()) : 0,
    }
  }

  #isCalm(maxMb: number): boolean {
    return (residentMbOf(this.#pid) ?? 0) <= maxMb && this.descriptors() <= SPARE_DESCRIPTORS
  }

  #sample(): void {
    const mb = residentMbOf(this.#pid)
    if (mb === null || mb > ENOUGH_MB) this.#isEnough()
    if (mb !== null && mb > KILLED_AT_MB) process.kill(this.#pid, 'SIGKILL')
    this.#peakMb = Math.max(this.#peakMb, mb ?? 0)
    this.#descriptorsPeak = Math.max(this.#descriptorsPeak, this.descriptors())
  }
}

/** A process that has ended and was not fetched yet has no memory. */
const isAlive = (pid: number): boolean => residentMbOf(pid) !== null
