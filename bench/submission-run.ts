import type { Bench } from './bench.ts'
import { analyze, clearClaims, loadClaims } from './claims.ts'
import { watchCpu } from './cpu-watch.ts'
import type { Phase, PhaseResult } from './load/plan.ts'
import { startLoad } from './load/run-load.ts'
import type { ClaimPick } from './load/submissions.ts'
import type { Measured } from './measured.ts'
import {
  measuredOf,
  measurePgbench,
  measureServer,
  planOf,
  type Run,
  requireAccepted,
} from './measured-run.ts'
import { submissionScript } from './transactions.ts'

export interface SubmissionRun extends Run {
  pick: ClaimPick
  /** Events per request. */
  batch?: number
}

/** Empties the tables, loads these claims and analyses the tables. */
export async function loadFreshClaims(bench: Bench, claims: number): Promise<ClaimPick> {
  await bench.once('warm server', () => warmUp(bench))
  return loadFresh(bench, claims)
}

/** A new server is slow: its code is not compiled and its connections are not open. */
async function warmUp(bench: Bench): Promise<void> {
  const pick = await loadFresh(bench, bench.sizes.warmClaims)
  await submit(bench, { label: 'warming up', pick, connections: 64, measureMs: bench.sizes.sweepMs })
}

async function loadFresh(bench: Bench, claims: number): Promise<ClaimPick> {
  const { database } = await bench.main()
  const set = bench.nextSet()
  bench.progress.doing(`loading ${claims.toLocaleString('en')} claims`)
  await clearClaims(database)
  await loadClaims(database, { set, claims, dueBy: null }, (fraction) => bench.progress.at(fraction))
  bench.progress.doing('vacuum and analyze')
  await analyze(database)
  await (await bench.cluster()).checkpoint()
  return { set, claims, walk: 'random' }
}

/** Submits to our server. */
export async function submit(bench: Bench, run: SubmissionRun): Promise<Measured & { result: PhaseResult }> {
  const { pick, batch = 1 } = run
  return measureServer(bench, { ...run, requests: { kind: 'submit', pick, batch, first: 0 } })
}

/** Numbers of background events do not overlap with those of an earlier run on the same claims. */
const FIRST_BACKGROUND_EVENT = 1_000_000_000

export interface BackgroundLoad {
  pick: ClaimPick
  connections: number
  /** Requests per second. */
  rate: number
  /** Requests during this time at the start are not counted. */
  warmupMs: number
  /** Maximum duration after the warm-up. */
  maxMs: number
}

/** Submits to our server while the work runs. */
export async function submitDuring<T>(
  bench: Bench,
  { pick, connections, rate, warmupMs, maxMs }: BackgroundLoad,
  work: () => Promise<T>,
): Promise<{ done: T; measured: Measured }> {
  const phase: Phase = {
    requests: { kind: 'submit', pick, batch: 1, first: FIRST_BACKGROUND_EVENT },
    until: { warmupMs, measureMs: maxMs },
    rate,
  }
  const cpu = await watchCpu(bench, warmupMs)
  const load = startLoad(planOf(await bench.main(), connections, phase), bench.cleanup)
  const done = await Promise.race([work(), endedTooEarly(load.results)])
  const shares = cpu()
  load.stop()
  const [result] = await load.results
  requireAccepted(result as PhaseResult)
  return { done, measured: { ...measuredOf(result as PhaseResult), ...shares } }
}

async function endedTooEarly(results: Promise<unknown>): Promise<never> {
  await results
  throw new Error('the submissions ended before the work')
}

/** The yardstick on the same tables. Requires pgbench. */
export function submitByPgbench(bench: Bench, run: SubmissionRun): Promise<Measured> {
  return measurePgbench(bench, { ...run, script: submissionScript(run.pick) })
}
