import type { Bench } from '../bench.ts'
import { compare } from '../comparison.ts'
import { fastestPgbench, fastestSingles } from '../fastest.ts'
import type { ClaimPick } from '../load/submissions.ts'
import type { Part, PartReport } from '../part.ts'
import { OPEN_LOOP_CONNECTIONS } from '../sizes.ts'
import { loadFreshClaims, submit, submitByPgbench } from '../submission-run.ts'

export const single: Part = {
  name: 'single',
  summary: 'one event per request, compared with pgbench; latency at half of the maximum rate',
  run: async (bench, report) => {
    const clients = await sweep(bench, report)
    const perSecond = await warm(bench, report, clients)
    // Other parts use this rate, which is more precise than that of the sweep.
    await bench.once('highest single rate', async () => perSecond)
    await halfRate(bench, report, perSecond / 2)
    await cold(bench, report, clients)
  },
}

interface Clients {
  service: number
  /** Null without pgbench. */
  yardstick: number | null
}

async function sweep(bench: Bench, report: PartReport): Promise<Clients> {
  const service = await fastestSingles(bench)
  for (const { clients, measured } of service.all)
    report.measured(`service, ${clients} connections`, measured)
  if (!bench.pgbench) return { service: service.clients, yardstick: null }
  const yardstick = await fastestPgbench(bench)
  for (const { clients, measured } of yardstick.all) report.measured(`pgbench, ${clients} clients`, measured)
  return { service: service.clients, yardstick: yardstick.clients }
}

/** Submits to the same claims repeatedly. Returns our rate. */
async function warm(bench: Bench, report: PartReport, { service, yardstick }: Clients): Promise<number> {
  const { sizes } = bench
  const run = { label: 'single', measureMs: sizes.measureMs }
  const { service: measured, ratio } = await compare(bench, report, {
    name: `${sizes.warmClaims.toLocaleString('en')} claims: service, ${service} connections`,
    yardstickName: `${sizes.warmClaims.toLocaleString('en')} claims: pgbench, ${yardstick} clients`,
    rounds: sizes.rounds,
    service: async () =>
      submit(bench, { ...run, connections: service, pick: await loadFreshClaims(bench, sizes.warmClaims) }),
    yardstick:
      yardstick === null
        ? null
        : async () =>
            submitByPgbench(bench, {
              ...run,
              connections: yardstick,
              pick: await loadFreshClaims(bench, sizes.warmClaims),
            }),
  })
  report.figure('single_vs_pgbench', ratio)
  report.figure('single_events_per_second', measured.perSecond)
  return measured.perSecond
}

async function halfRate(bench: Bench, report: PartReport, rate: number): Promise<void> {
  const measured = await submit(bench, {
    label: 'half of the maximum rate',
    pick: await loadFreshClaims(bench, bench.sizes.warmClaims),
    connections: OPEN_LOOP_CONNECTIONS,
    rate,
    measureMs: bench.sizes.openLoopMs,
  })
  report.measured('half of the maximum rate, open loop', measured)
  report.latencyFigures('single', 'at_half_rate', measured)
}

/** Submits about once to each claim. Every measurement has a separate slice, spread over the whole table. */
async function cold(bench: Bench, report: PartReport, { service, yardstick }: Clients): Promise<void> {
  const { sizes } = bench
  const pick = await loadFreshClaims(bench, sizes.coldClaims)
  const slices = 2 * sizes.coldRounds
  const cluster = await bench.cluster()
  const slice = async (index: number): Promise<ClaimPick> => {
    await cluster.checkpoint()
    return { ...pick, walk: { slice: index, slices } }
  }
  const run = { label: 'single, cold', measureMs: sizes.measureMs }
  const { ratio } = await compare(bench, report, {
    name: `${sizes.coldClaims.toLocaleString('en')} claims, each about once: service`,
    yardstickName: `${sizes.coldClaims.toLocaleString('en')} claims, each about once: pgbench`,
    rounds: sizes.coldRounds,
    service: async (round) => submit(bench, { ...run, connections: service, pick: await slice(2 * round) }),
    yardstick:
      yardstick === null
        ? null
        : async (round) =>
            submitByPgbench(bench, { ...run, connections: yardstick, pick: await slice(2 * round + 1) }),
  })
  report.figure('single_cold_vs_pgbench', ratio)
}
