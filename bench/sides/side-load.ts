import type { Bench } from '../bench.ts'
import { analyze, CONTRACT_FIELD, clearClaims, loadClaims } from '../claims.ts'
import type { Phase } from '../load/plan.ts'
import { runLoad } from '../load/run-load.ts'
import type { ClaimPick } from '../load/submissions.ts'
import type { Measured } from '../measured.ts'
import { measuredOf, planOf, requireAccepted } from '../measured-run.ts'
import { EVENTS_PER_BATCH } from '../sizes.ts'
import { verifyAcknowledged, verifyCreated } from '../verification.ts'
import { CUSTOMERS } from './customers.ts'
import type { Side } from './side.ts'
import { numbersOf, pickOf, type Spread, touchOf } from './spread.ts'
import { databaseCores, type Usage, usageDuring } from './usage.ts'

const TOUCHING_CONNECTIONS = 8

export interface SideLoad {
  label: string
  connections: number
  measureMs: number
}

export interface SideMeasured extends Measured {
  /** Requests per second. A request may have several events. */
  requests: number
  usage: Usage
}

export interface Submissions extends SideLoad {
  /** Events per request. */
  batch: number
  spread: Spread
}

/**
 * Submits to newly loaded claims, then verifies every acknowledged event. Unless each claim gets one event, the server first
 * loads all claims into its memory. Otherwise the faster side would have more of them in memory.
 */
export async function submitTo(bench: Bench, side: Side, load: Submissions): Promise<SideMeasured> {
  const { batch, spread } = load
  const { pick, numbers } = await loadPick(bench, side, load)
  const before = spread === 'once' ? undefined : await touch(bench, side, pick.set, numbers)
  const requests = { kind: 'submit' as const, pick, batch, first: before?.events ?? 0 }
  const { measured, result } = await measure(bench, side, load, requests)
  bench.progress.doing(`${side.name}: verifying every acknowledged event`)
  await verifyAcknowledged(side.database, pick, result, { batch, before })
  return measured
}

/** Submits an event to each claim. */
async function touch(bench: Bench, side: Side, set: number, numbers: readonly number[]) {
  const { pick, requests } = touchOf(side.distribution, set, numbers, EVENTS_PER_BATCH)
  const phase: Phase = {
    requests: { kind: 'submit', pick, batch: EVENTS_PER_BATCH, first: 0 },
    until: { warmupRequests: 0, requests },
    rate: null,
  }
  bench.progress.doing(`${side.name}: an event to each claim`)
  requireAccepted(await runLoad(planOf(side, TOUCHING_CONNECTIONS, phase), bench.cleanup))
  await side.nodes.checkpoint()
  return { pick, events: requests * EVENTS_PER_BATCH }
}

/** Creates claims in empty tables, then verifies their number. */
export async function createAt(bench: Bench, side: Side, load: SideLoad): Promise<SideMeasured> {
  await clearClaims(side.database)
  await readyTables(bench, side)
  const requests = { kind: 'create' as const, customers: CUSTOMERS, source: CONTRACT_FIELD }
  const { measured, result } = await measure(bench, side, load, requests)
  await verifyCreated(side.database, result)
  return measured
}

/** A new server is slow: its code is not compiled and its connections are not open. */
export function warmUp(bench: Bench, side: Side): Promise<unknown> {
  return bench.once(`warm ${side.databaseName}`, async () => {
    const load = { label: 'warming up', measureMs: bench.sizes.sweepMs, spread: 'all' as const }
    await submitTo(bench, side, { ...load, connections: 32, batch: 1 })
    await submitTo(bench, side, { ...load, connections: 8, batch: EVENTS_PER_BATCH })
  })
}

async function loadPick(
  bench: Bench,
  side: Side,
  { spread, batch }: Submissions,
): Promise<{ pick: ClaimPick; numbers: readonly number[] }> {
  const set = bench.nextSet()
  const { warmClaims, modelClaims } = bench.sizes
  const numbers = numbersOf(spread, set, spread === 'once' ? modelClaims : warmClaims)
  const pick = pickOf(spread, set, numbers, batch)
  await clearClaims(side.database)
  bench.progress.doing(`${side.name}: loading ${numbers.length.toLocaleString('en')} claims`)
  await loadClaims(side.database, { set, claims: pick.claims, numbers, dueBy: null }, (fraction) =>
    bench.progress.at(fraction),
  )
  await readyTables(bench, side)
  return { pick, numbers }
}

export async function readyTables(bench: Bench, side: Side): Promise<void> {
  bench.progress.doing(`${side.name}: vacuum and analyze`)
  await analyze(side.database)
  await side.nodes.checkpoint()
}

async function measure(bench: Bench, side: Side, load: SideLoad, requests: Phase['requests']) {
  const { warmupMs } = bench.sizes
  const { label, connections, measureMs } = load
  const phase: Phase = { requests, until: { warmupMs, measureMs }, rate: null }
  const running = runLoad(planOf(side, connections, phase), bench.cleanup)
  const [result, usage] = await bench.progress.during(
    `${side.name}: ${label}, ${connections} connections`,
    warmupMs + measureMs,
    Promise.all([running, usageDuring(side, warmupMs, measureMs)]),
  )
  requireAccepted(result)
  const measured: SideMeasured = {
    ...measuredOf(result),
    serverCpu: usage.server,
    databaseCpu: databaseCores(usage),
    requests: result.responses / result.seconds,
    usage,
  }
  return { measured, result }
}
