import type { Progress } from '../bench/progress.ts'
import { judgeCalm } from './checks/judge-calm.ts'
import { judgeOverviews } from './checks/judge-overviews.ts'
import { judgePeople } from './checks/judge-people.ts'
import { judgeClaims, judgeClocks, judgeTables } from './checks/judge-world.ts'
import { waitForChecks } from './checks/wait-for-checks.ts'
import { Client } from './clients/client.ts'
import { now } from './clients/exchange.ts'
import { Receiver } from './clients/receiver.ts'
import { World } from './clients/world.ts'
import { Finding, findingOf } from './model/finding.ts'
import { openAccounts } from './operations/accounts/open-accounts.ts'
import { act } from './operations/catalogue.ts'
import { judgeFollowed } from './operations/claims/follow-lists.ts'
import { judgeFeeds } from './operations/notifications.ts'
import { judgeHook } from './operations/webhooks.ts'
import { seeded } from './random.ts'
import { type Fault, NotCalm, type Stage } from './stage.ts'
import { strikeOnAndOn } from './strike.ts'

export interface SimulationOptions<On extends Stage> {
  seed: number
  seconds: number
  clients: number
  accounts: number
  patienceSeconds: number
  faults: readonly Fault<On>[]
  /** The faults were chosen by name, so each must strike. */
  isNamed: boolean
  progress: Progress
}

export interface Result {
  world: World
  /** Number of strikes by fault. */
  struck: Map<string, number>
  /** Seconds for which clients acted. */
  seconds: number
  finding: Finding | null
  /** Why the run shows nothing: something besides the service failed. */
  failure: string | null
}

/** One run on a stage: many clients and faults, then calm, then the judgement. */
export async function simulate<On extends Stage>(stage: On, options: SimulationOptions<On>): Promise<Result> {
  const random = seeded(options.seed)
  const world = new World(
    options.faults.every(({ need }) => need !== 'clocks'),
    options.patienceSeconds * 1000,
  )
  const struck = new Map<string, number>(options.faults.map(({ name }) => [name, 0]))
  const newClient = (name: string) => new Client(name, world, random.fork(name), stage.urls)
  const clients = Array.from({ length: options.clients }, (_, i) => newClient(`client ${i}`))
  const judge = newClient('judge')
  const receiver = await Receiver.open(random.fork('receiver'), world.weather)
  const over = new AbortController()
  let startedAt = now()
  let endedAt = Infinity
  let until = startedAt
  const resultOf = (finding: Finding | null, failure: string | null = null): Result => ({
    world,
    struck,
    seconds: (Math.min(now(), endedAt) - startedAt) / 1000,
    finding,
    failure,
  })
  const timer = setInterval(() => options.progress.doing(progressOf(world, struck, until)), progressEveryMs())
  try {
    await openAccounts(world, stage, judge, receiver, options.accounts).catch(rethrowAsFinding)
    startedAt = now()
    until = withCheck(startedAt, options.seconds * 1000)
    const isAnyMissing = () => options.isNamed && struck.values().some((times) => times === 0)
    const goesOn = () => {
      const isFound = stage.complaints.length > 0 || receiver.finding !== null
      const isStopped = over.signal.aborted || isFound
      return !isStopped && (now() < until || (isAnyMissing() && now() < until + LATEST_STRIKE_MS))
    }
    const stopAll = (error: unknown) => {
      over.abort()
      throw error
    }
    const work = clients.map((client) => act(client, goesOn).catch(rethrowAsFinding).catch(stopAll))
    const harm = strikeOnAndOn(
      stage,
      options.faults,
      random.fork('faults'),
      world.weather,
      struck,
      goesOn,
      over.signal,
    ).catch(stopAll)
    const ends = await Promise.allSettled([...work, harm])
    endedAt = now()
    for (const end of ends) if (end.status === 'rejected') throw end.reason
    await stage.calm()
    options.progress.doing('looking at what came of it')
    await judgeAll({ world, stage, clients, judge, receiver }).catch(rethrowAsFinding)
    if (options.faults.length === 0) await judgeCalm(world, stage)
    if (stage.complaints.length > 0) throw complaintsOf(stage)
    return resultOf(null, lackOf(world, options.isNamed ? struck : new Map()))
  } catch (error) {
    if (error instanceof Finding) return resultOf(error)
    if (error instanceof NotCalm)
      return resultOf(new Finding(error.message, { complaints: stage.complaints, standing: error.about }))
    // The complaints show more than their consequences.
    if (stage.complaints.length > 0) return resultOf(complaintsOf(stage))
    return resultOf(null, (error as Error).stack ?? String(error))
  } finally {
    clearInterval(timer)
    for (const client of [...clients, judge]) client.close()
    receiver.close()
  }
}

interface Judged {
  world: World
  stage: Stage
  clients: readonly Client[]
  judge: Client
  receiver: Receiver
}

/** Judges the stored data after the last fault. */
async function judgeAll({ world, stage, clients, judge, receiver }: Judged): Promise<void> {
  await waitForChecks(stage)
  await judgeClaims(world, clients)
  await judgeClocks(world, judge)
  for (const account of world.accounts) await judgeFollowed(judge, account)
  for (const account of world.accounts) await judgeFeeds(judge, account)
  await judgeOverviews(world, stage, judge)
  await judgePeople(world, stage)
  await judgeTables(stage)
  // Last, because it may take longer than until the next check.
  for (const account of world.accounts) await judgeHook(judge, account, receiver)
}

function rethrowAsFinding(error: unknown): never {
  throw findingOf(error)
}

const MINUTE_MS = 60_000
const AROUND_CHECK_MS = 3_000
const SHORT_MS = 30_000
/** Longest extension of a run until each fault that was chosen by name has struck. */
const LATEST_STRIKE_MS = 120_000

/** Extends a run until a scheduled check, unless the run is short. */
function withCheck(from: number, ms: number): number {
  if (ms < SHORT_MS) return from + ms
  const check = Math.ceil(from / MINUTE_MS) * MINUTE_MS + AROUND_CHECK_MS
  return Math.max(from + ms, check)
}

const progressEveryMs = () => (process.stderr.isTTY ? 1_000 : 10_000)

const complaintsOf = ({ complaints }: Stage) => new Finding('the servers complained', complaints.slice(0, 20))

/** The reason why a run has shown nothing. Null if it tried everything. */
function lackOf({ acknowledged }: World, struck: ReadonlyMap<string, number>): string | null {
  if (acknowledged === 0) return 'the run shows nothing: no event was acknowledged'
  const never = [...struck].filter(([, times]) => times === 0).map(([name]) => name)
  return never.length === 0 ? null : `the run shows nothing of what never struck: ${never.join(', ')}`
}

function progressOf(world: World, struck: ReadonlyMap<string, number>, until: number): string {
  const faults = [...struck.values()].reduce((sum, times) => sum + times, 0)
  const left = Math.max(0, Math.round((until - now()) / 1000))
  return `${world.operations} operations, ${world.acknowledged} acknowledged, ${world.unknown} unknown, ${faults} faults, ${left} s left`
}
