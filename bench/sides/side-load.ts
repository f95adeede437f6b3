import type { Bench } from '../bench.ts'
import { analyze, CONTRACT_GIVEN, clearClaims, loadClaims } from '../claims.ts'
import type { Phase } from '../load/plan.ts'
import { runLoad } from '../load/run-load.ts'
import type { ClaimPick } from '../load/submissions.ts'
import type { Measured } from '../measured.ts'
import { measuredOf, planOf, requireAccepted } from '../measured-run.ts'
import { verifyAcknowledged, verifyCreated } from '../verification.ts'
import { CUSTOMERS } from './customers.ts'
import type { Side } from './side.ts'
import type { Spread } from './spread.ts'
import { numbersOf, pickOf } from './spread.ts'
import { databaseCores, type Usage, usageDuring } from './usage.ts'

export interface SideLoad {
  label: string
  connections: number
  measureMs: number
}

export interface SideMeasured extends Measured {
  /** Requests a second, of which each may have several events. */
  requests: number
  usage: Usage
}

export interface Submissions extends SideLoad {
  /** Events a request. */
  batch: number
  spread: Spread
}

/** Submissions to claims that are newly loaded; every acknowledged one is then looked for. */
export async function submitTo(bench: Bench, side: Side, load: Submissions): Promise<SideMeasured> {
  const pick = await loadPick(bench, side, load)
  const { batch } = load
  const { measured, result } = await measure(bench, side, load, { kind: 'submit', pick, batch, first: 0 })
  bench.progress.doing(`${side.name}: looking for every acknowledged event`)
  await verifyAcknowledged(side.database, pick, result, batch)
  return measured
}

/** Creations into empty tables; every claim is then counted. */
export async function createAt(bench: Bench, side: Side, load: SideLoad): Promise<SideMeasured> {
  await clearClaims(side.database)
  await readyTables(bench, side)
  const requests = { kind: 'create' as const, customers: CUSTOMERS, source: CONTRACT_GIVEN }
  const { measured, result } = await measure(bench, side, load, requests)
  await verifyCreated(side.database, result)
  return measured
}

/** Whose code is not compiled and whose connections are not open yet is slow. */
export function warmUp(bench: Bench, side: Side): Promise<unknown> {
  const load = { label: 'warming up', connections: 32, measureMs: bench.sizes.sweepMs, batch: 1 }
  return bench.once(`warm ${side.databaseName}`, () => submitTo(bench, side, { ...load, spread: 'all' }))
}

async function loadPick(bench: Bench, side: Side, { spread, batch }: Submissions): Promise<ClaimPick> {
  const set = bench.nextSet()
  const numbers = numbersOf(spread, set, bench.sizes.warmClaims)
  const pick = pickOf(spread, set, numbers, batch)
  await clearClaims(side.database)
  bench.progress.doing(`${side.name}: loading ${numbers.length.toLocaleString('en')} claims`)
  await loadClaims(side.database, { set, claims: pick.claims, numbers, dueBy: null }, (fraction) =>
    bench.progress.at(fraction),
  )
  await readyTables(bench, side)
  return pick
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
    requests: result.answers / result.seconds,
    usage,
  }
  return { measured, result }
}
