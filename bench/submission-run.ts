import type { Bench, Workplace } from './bench.ts'
import { analyze, clearClaims, loadClaims } from './claims.ts'
import { watchCpu } from './cpu-watch.ts'
import type { Phase, PhaseResult } from './load/plan.ts'
import { runLoad } from './load/run-load.ts'
import type { ClaimPick } from './load/submissions.ts'
import type { Measured } from './measured.ts'
import { runPgbench } from './pgbench.ts'

export interface SubmissionRun {
  label: string
  pick: ClaimPick
  connections: number
  /** Events a request. */
  batch?: number
  /** Submissions a second; by default each connection sends its next at once. */
  rate?: number
  measureMs: number
  /** Refusals are no error; they count for nothing. */
  mayRefuse?: boolean
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
  const workplace = await bench.main()
  const phase: Phase = {
    requests: { kind: 'submit', pick: run.pick, batch: run.batch ?? 1, first: 0 },
    until: { warmupMs: bench.sizes.warmupMs, measureMs: run.measureMs },
    rate: run.rate ?? null,
  }
  const cpu = await watchCpu(bench, bench.sizes.warmupMs)
  const result = await bench.progress.during(
    `${run.label}: ${run.connections} connections`,
    bench.sizes.warmupMs + run.measureMs,
    runLoad(planOf(workplace, run.connections, phase), bench.cleanup),
  )
  if (!run.mayRefuse) requireAccepted(result)
  return { ...measuredOf(result), ...cpu(), result }
}

export function planOf({ server, database }: Workplace, connections: number, phase: Phase) {
  return { url: server.url, token: database.token, connections, phases: [phase] }
}

export function measuredOf(result: PhaseResult): Measured {
  return {
    perSecond: result.accepted / result.seconds,
    latency: result.latency,
    clientCpu: result.cpuShare,
    serverCpu: null,
    databaseCpu: null,
  }
}

export function requireAccepted({ refused, firstRefusal, sent }: PhaseResult): void {
  if (refused.length === 0) return
  throw new Error(`${refused.length} of ${sent} requests were not accepted; the first: ${firstRefusal}`)
}

/** The yardstick on the same tables; only where there is a pgbench. */
export async function submitByPgbench(bench: Bench, run: SubmissionRun): Promise<Measured> {
  if (bench.pgbench === null) throw new Error('there is no pgbench')
  const { database } = await bench.main()
  const { folder } = await bench.cluster()
  const { pick, connections: clients, measureMs } = run
  const { warmupMs } = bench.sizes
  const cpu = await watchCpu(bench, warmupMs)
  const measured = await bench.progress.during(
    `${run.label}: pgbench, ${clients} clients`,
    warmupMs + measureMs,
    runPgbench(
      bench.pgbench,
      { databaseUrl: database.url, folder, pick, clients, warmupMs, measureMs },
      bench.cleanup,
    ),
  )
  return { ...measured, databaseCpu: cpu().databaseCpu }
}
