import type { Bench } from './bench.ts'
import { analyze, clearClaims, loadClaims } from './claims.ts'
import type { PhaseResult } from './load/plan.ts'
import type { ClaimPick } from './load/submissions.ts'
import type { Measured } from './measured.ts'
import { measurePgbench, measureServer, type Run } from './measured-run.ts'
import { submissionScript } from './transactions.ts'

export interface SubmissionRun extends Run {
  pick: ClaimPick
  /** Events a request. */
  batch?: number
}

/** Tables that hold these claims and nothing else, loaded and analysed. */
export async function freshClaims(bench: Bench, claims: number): Promise<ClaimPick> {
  await bench.once('warm server', () => warmUp(bench))
  return loadFresh(bench, claims)
}

/** A server that has just started is slow: its code is not compiled, its connections are not open. */
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

/** The yardstick on the same tables; only where there is a pgbench. */
export function submitByPgbench(bench: Bench, run: SubmissionRun): Promise<Measured> {
  return measurePgbench(bench, { ...run, script: submissionScript(run.pick) })
}
