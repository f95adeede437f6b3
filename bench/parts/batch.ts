import type { Bench } from '../bench.ts'
import { best, compare } from '../comparison.ts'
import { fastestPgbench } from '../fastest.ts'
import type { Measured } from '../measured.ts'
import type { Part, PartReport } from '../part.ts'
import { EVENTS_PER_BATCH } from '../sizes.ts'
import { loadFreshClaims, submit, submitByPgbench } from '../submission-run.ts'

export const batch: Part = {
  name: 'batch',
  summary: `${EVENTS_PER_BATCH} events per request, compared with pgbench, which submits one event per transaction`,
  run: async (bench, report) => {
    const connections = await sweep(bench, report)
    const clients = bench.pgbench ? (await fastestPgbench(bench)).clients : null
    const { service, ratio } = await compare(bench, report, {
      name: `batches of ${EVENTS_PER_BATCH}: service, ${connections} connections`,
      yardstickName: `one by one: pgbench, ${clients} clients`,
      rounds: bench.sizes.rounds,
      service: () => submitBatches(bench, connections, bench.sizes.measureMs),
      yardstick: clients === null ? null : () => submitSingly(bench, clients),
    })
    report.figure('batch_vs_pgbench', ratio)
    report.figure('batch_events_per_second', service.perSecond)
  },
}

async function sweep(bench: Bench, report: PartReport): Promise<number> {
  const { candidate } = await best(bench.sizes.batchConnections, async (connections) => {
    const measured = await submitBatches(bench, connections, bench.sizes.sweepMs)
    report.measured(`service, ${connections} connections`, measured, { note: 'latencies of a batch' })
    return measured
  })
  return candidate
}

async function submitBatches(bench: Bench, connections: number, measureMs: number): Promise<Measured> {
  const pick = await loadFreshClaims(bench, bench.sizes.warmClaims)
  return submit(bench, { label: 'batches', pick, connections, batch: EVENTS_PER_BATCH, measureMs })
}

async function submitSingly(bench: Bench, clients: number): Promise<Measured> {
  const pick = await loadFreshClaims(bench, bench.sizes.warmClaims)
  return submitByPgbench(bench, {
    label: 'batches',
    pick,
    connections: clients,
    measureMs: bench.sizes.measureMs,
  })
}
