import type { Bench, ServiceInstance } from './bench.ts'
import { watchCpu } from './cpu-watch.ts'
import type { Phase, PhaseResult } from './load/plan.ts'
import { runLoad } from './load/run-load.ts'
import type { Measured } from './measured.ts'
import { runPgbench } from './pgbench.ts'

export interface Run {
  label: string
  connections: number
  /** Requests per second. By default each connection sends its next request immediately. */
  rate?: number
  measureMs: number
  /** Refused requests are not an error. They are not counted. */
  mayRefuse?: boolean
}

/** Measures our server. */
export async function measureServer(
  bench: Bench,
  run: Run & { requests: Phase['requests'] },
): Promise<Measured & { result: PhaseResult }> {
  const instance = await bench.main()
  const phase: Phase = {
    requests: run.requests,
    until: { warmupMs: bench.sizes.warmupMs, measureMs: run.measureMs },
    rate: run.rate ?? null,
  }
  const cpu = await watchCpu(bench, bench.sizes.warmupMs)
  const result = await bench.progress.during(
    `${run.label}: ${run.connections} connections`,
    bench.sizes.warmupMs + run.measureMs,
    runLoad(planOf(instance, run.connections, phase), bench.cleanup),
  )
  if (!run.mayRefuse) requireAccepted(result)
  return { ...measuredOf(result), ...cpu(), result }
}

export function planOf({ server, database }: ServiceInstance, connections: number, phase: Phase) {
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

/** Measures the same transaction with pgbench, one client for each connection. Requires pgbench. */
export async function measurePgbench(bench: Bench, run: Run & { script: string }): Promise<Measured> {
  if (bench.pgbench === null) throw new Error('there is no pgbench')
  const { database } = await bench.main()
  const { folder } = await bench.cluster()
  const { script, connections: clients, measureMs } = run
  const { warmupMs } = bench.sizes
  const cpu = await watchCpu(bench, warmupMs)
  const measured = await bench.progress.during(
    `${run.label}: pgbench, ${clients} clients`,
    warmupMs + measureMs,
    runPgbench(
      bench.pgbench,
      { databaseUrl: database.url, folder, script, clients, warmupMs, measureMs },
      bench.cleanup,
    ),
  )
  return { ...measured, databaseCpu: cpu().databaseCpu }
}
