import { statfs } from 'node:fs/promises'
import type { Bench, ServiceInstance } from '../bench.ts'
import type { HistogramData } from '../load/histogram.ts'
import type { PhaseResult, Plan } from '../load/plan.ts'
import { startLoad } from '../load/run-load.ts'
import { median, percentilesOf } from '../measured.ts'
import { requireAccepted } from '../measured-run.ts'
import type { Part, PartReport } from '../part.ts'
import { type ReadKind, readKinds } from '../reads/kinds.ts'
import { loadAccount } from '../reads/load-account.ts'

const CONNECTIONS = 2
/** Requests of each kind that are not counted. */
const WARMUP_REQUESTS = 5
/** Bytes on disk per claim, with its share of candidates, events, indexes and write-ahead log. */
const BYTES_PER_CLAIM = 1_500

export const reads: Part = {
  name: 'reads',
  summary: 'one claim, and each list with each filter, in a small and in a large account',
  run: async (bench, report) => {
    const { small, large } = bench.sizes.readClaims
    await requireSpace(bench, large)
    const sides = [await prepare(bench, small), await prepare(bench, large)] as [Side, Side]
    const kinds = shared(sides)
    for (let round = 1; round <= bench.sizes.readRounds; round++) {
      for (const side of sides) {
        await readAll(bench, side, kinds, `${round} of ${bench.sizes.readRounds}`)
      }
    }
    reportReads(report, sides, kinds)
    for (const [i, name] of ['small_server', 'large_server'].entries()) {
      const { server } = (sides[i] as Side).instance
      report.peakMemory(name, server.takePeakMb())
      await bench.stopServer(server)
    }
  },
}

interface Side {
  claims: number
  instance: ServiceInstance
  kinds: Map<string, ReadKind>
  /** By kind, one entry per round. */
  latencies: Map<string, HistogramData[]>
}

async function requireSpace(bench: Bench, claims: number): Promise<void> {
  const { folder } = await bench.cluster()
  const { bavail, bsize } = await statfs(folder)
  const [has, needs] = [bavail * bsize, claims * BYTES_PER_CLAIM]
  if (has > needs) return
  const gb = (bytes: number) => `${(bytes / 1e9).toFixed(1)} GB`
  throw new Error(`${folder} has ${gb(has)} free and this needs ${gb(needs)}: choose another --folder`)
}

async function prepare(bench: Bench, claims: number): Promise<Side> {
  const database = await (await bench.cluster()).createDatabase(`bench_reads_${claims}`)
  bench.progress.doing(`loading an account of ${claims.toLocaleString('en')} claims`)
  await loadAccount(database, claims, (fraction) => bench.progress.at(fraction))
  bench.progress.doing('finding the deep pages')
  const kinds = new Map((await readKinds(database, claims)).map((kind) => [kind.name, kind]))
  await (await bench.cluster()).checkpoint()
  const server = await bench.startServer(database)
  return { claims, instance: { database, server }, kinds, latencies: new Map() }
}

/** The kinds that both accounts have. Near its end the small account has no page for some filters. */
function shared([small, large]: [Side, Side]): string[] {
  return [...small.kinds.keys()].filter((name) => large.kinds.has(name))
}

async function readAll(bench: Bench, side: Side, kinds: string[], round: string): Promise<void> {
  const { server, database } = side.instance
  const plan: Plan = {
    url: server.url,
    token: database.token,
    connections: CONNECTIONS,
    phases: kinds.map((name) => ({
      requests: { kind: 'read', paths: (side.kinds.get(name) as ReadKind).paths },
      until: { warmupRequests: WARMUP_REQUESTS, requests: bench.sizes.readsOfKind },
      rate: null,
    })),
  }
  bench.progress.doing(`reads, ${side.claims.toLocaleString('en')} claims, round ${round}`)
  const results = await startLoad(plan, bench.cleanup).results
  for (const [i, name] of kinds.entries()) {
    const result = results[i] as PhaseResult
    requireAccepted(result)
    side.latencies.set(name, [...(side.latencies.get(name) ?? []), result.latency])
  }
}

function reportReads(report: PartReport, [small, large]: [Side, Side], kinds: string[]): void {
  for (const side of [small, large]) {
    report.row({
      what: `all reads, ${side.claims.toLocaleString('en')} claims`,
      ...percentilesOf(...all(side)),
    })
  }
  for (const name of kinds) {
    const of = (side: Side) => percentilesOf(...(side.latencies.get(name) as HistogramData[]))
    const [before, after] = [of(small), of(large)]
    const note = `small account: p50 ${before.p50.toFixed(2)} ms, p99 ${before.p99.toFixed(2)} ms`
    report.row({ what: name, ratio: after.p99 / before.p99, ...after, note })
  }
  const rounds = (small.latencies.get(kinds[0] as string) as HistogramData[]).length
  const growths = Array.from({ length: rounds }, (_, round) => {
    const [before, after] = [all(small, round), all(large, round)].map((parts) => percentilesOf(...parts).p99)
    return (after as number) / (before as number)
  })
  report.figure('read_p99_growth', median(growths))
  report.figure('read_p99_ms_small', percentilesOf(...all(small)).p99)
  report.figure('read_p99_ms_large', percentilesOf(...all(large)).p99)
}

/** Latencies of every kind, of one round or of all rounds. */
function all({ latencies }: Side, round?: number): HistogramData[] {
  const kinds = [...latencies.values()]
  return round === undefined ? kinds.flat() : kinds.map((rounds) => rounds[round] as HistogramData)
}
