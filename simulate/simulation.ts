import type { Progress } from '../bench/progress.ts'
import { Client } from './clients/client.ts'
import { now } from './clients/http-connection.ts'
import { WebhookReceiver } from './clients/webhook-receiver.ts'
import { World } from './clients/world.ts'
import { injectFaults } from './inject-faults.ts'
import { Finding, findingOf } from './model/finding.ts'
import { openAccounts } from './operations/accounts/open-accounts.ts'
import { runOperations } from './operations/catalogue.ts'
import { verifyFollowedLists } from './operations/claims/follow-lists.ts'
import { verifyFeeds } from './operations/notifications.ts'
import { verifyDeliveries } from './operations/webhooks.ts'
import { seeded } from './random.ts'
import { type Fault, RecoveryError, type Testbed } from './testbed.ts'
import { verifyOverviews } from './verification/verify-overviews.ts'
import { verifyPeople } from './verification/verify-people.ts'
import { verifyClaims, verifyClocks, verifyTables } from './verification/verify-records.ts'
import { verifyWithoutFaults } from './verification/verify-without-faults.ts'
import { waitForChecks } from './verification/wait-for-checks.ts'

export interface SimulationOptions<On extends Testbed> {
  seed: number
  seconds: number
  clients: number
  accounts: number
  timeoutSeconds: number
  faults: readonly Fault<On>[]
  /** The faults were chosen by name, so the run must inject each. */
  mustInjectAll: boolean
  progress: Progress
}

export interface Result {
  world: World
  /** Number of injections by fault. */
  injected: Map<string, number>
  /** Seconds for which clients acted. */
  seconds: number
  finding: Finding | null
  /** Why the run has no result. */
  failure: string | null
}

/** One run: many clients and faults, then recovery, then the verification. */
export async function simulate<On extends Testbed>(
  testbed: On,
  options: SimulationOptions<On>,
): Promise<Result> {
  const random = seeded(options.seed)
  const world = new World(
    options.faults.every(({ requires }) => requires !== 'clocks'),
    options.timeoutSeconds * 1000,
  )
  const injected = new Map<string, number>(options.faults.map(({ name }) => [name, 0]))
  const newClient = (name: string) => new Client(name, world, random.fork(name), testbed.urls)
  const clients = Array.from({ length: options.clients }, (_, i) => newClient(`client ${i}`))
  const verifier = newClient('verifier')
  const receiver = await WebhookReceiver.open(random.fork('receiver'), world.faultPeriods)
  const stopped = new AbortController()
  let startedAt = now()
  let endedAt = Infinity
  let until = startedAt
  const resultOf = (finding: Finding | null, failure: string | null = null): Result => ({
    world,
    injected,
    seconds: (Math.min(now(), endedAt) - startedAt) / 1000,
    finding,
    failure,
  })
  const timer = setInterval(
    () => options.progress.doing(progressOf(world, injected, until)),
    progressIntervalMs(),
  )
  try {
    await openAccounts(world, testbed, verifier, receiver, options.accounts).catch(rethrowAsFinding)
    startedAt = now()
    until = withCheck(startedAt, options.seconds * 1000)
    const isAnyFaultMissing = () => options.mustInjectAll && injected.values().some((times) => times === 0)
    const shouldContinue = () => {
      const isFound = testbed.serverErrors.length > 0 || receiver.finding !== null
      const isStopped = stopped.signal.aborted || isFound
      return !isStopped && (now() < until || (isAnyFaultMissing() && now() < until + MAX_EXTENSION_MS))
    }
    const stopAll = (error: unknown) => {
      stopped.abort()
      throw error
    }
    const work = clients.map((client) =>
      runOperations(client, shouldContinue).catch(rethrowAsFinding).catch(stopAll),
    )
    const faultInjection = injectFaults(
      testbed,
      options.faults,
      random.fork('faults'),
      world.faultPeriods,
      injected,
      shouldContinue,
      stopped.signal,
    ).catch(stopAll)
    const ends = await Promise.allSettled([...work, faultInjection])
    endedAt = now()
    for (const end of ends) if (end.status === 'rejected') throw end.reason
    await testbed.recover()
    options.progress.doing('verifying the stored data')
    await verifyAll({ world, testbed, clients, verifier, receiver }).catch(rethrowAsFinding)
    if (options.faults.length === 0) await verifyWithoutFaults(world, testbed)
    if (testbed.serverErrors.length > 0) throw serverErrorFinding(testbed)
    return resultOf(null, missingEvidence(world, options.mustInjectAll ? injected : new Map()))
  } catch (error) {
    if (error instanceof Finding) return resultOf(error)
    if (error instanceof RecoveryError)
      return resultOf(new Finding(error.message, { serverErrors: testbed.serverErrors, state: error.about }))
    // The server errors show more than their consequences.
    if (testbed.serverErrors.length > 0) return resultOf(serverErrorFinding(testbed))
    return resultOf(null, (error as Error).stack ?? String(error))
  } finally {
    clearInterval(timer)
    for (const client of [...clients, verifier]) client.close()
    receiver.close()
  }
}

interface Verification {
  world: World
  testbed: Testbed
  clients: readonly Client[]
  verifier: Client
  receiver: WebhookReceiver
}

/** Verifies the stored data after the last fault. */
async function verifyAll({ world, testbed, clients, verifier, receiver }: Verification): Promise<void> {
  await waitForChecks(testbed)
  await verifyClaims(world, clients)
  await verifyClocks(world, verifier)
  for (const account of world.accounts) await verifyFollowedLists(verifier, account)
  for (const account of world.accounts) await verifyFeeds(verifier, account)
  await verifyOverviews(world, testbed, verifier)
  await verifyPeople(world, testbed)
  await verifyTables(testbed)
  // Last, because it may take longer than until the next check.
  for (const account of world.accounts) await verifyDeliveries(verifier, account, receiver)
}

function rethrowAsFinding(error: unknown): never {
  throw findingOf(error)
}

const MINUTE_MS = 60_000
const AROUND_CHECK_MS = 3_000
const SHORT_MS = 30_000
/** Maximum extension of a run to inject each fault that was chosen by name. */
const MAX_EXTENSION_MS = 120_000

/** Extends a run until a scheduled check, unless the run is short. */
function withCheck(from: number, ms: number): number {
  if (ms < SHORT_MS) return from + ms
  const check = Math.ceil(from / MINUTE_MS) * MINUTE_MS + AROUND_CHECK_MS
  return Math.max(from + ms, check)
}

const progressIntervalMs = () => (process.stderr.isTTY ? 1_000 : 10_000)

const serverErrorFinding = ({ serverErrors }: Testbed) =>
  new Finding('the servers logged errors', serverErrors.slice(0, 20))

/** Why the run has not tested what it should. Null if it has. */
function missingEvidence({ acknowledged }: World, injected: ReadonlyMap<string, number>): string | null {
  if (acknowledged === 0) return 'no event was acknowledged'
  const never = [...injected].filter(([, times]) => times === 0).map(([name]) => name)
  return never.length === 0 ? null : `these faults were never injected: ${never.join(', ')}`
}

function progressOf(world: World, injected: ReadonlyMap<string, number>, until: number): string {
  const faults = [...injected.values()].reduce((sum, times) => sum + times, 0)
  const left = Math.max(0, Math.round((until - now()) / 1000))
  return `${world.operations} operations, ${world.acknowledged} acknowledged, ${world.unknown} unknown, ${faults} faults, ${left} s left`
}
