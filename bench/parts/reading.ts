import type { Bench } from '../bench.ts'
import { best, compare } from '../comparison.ts'
import { claimId } from '../load/submissions.ts'
import type { Measured } from '../measured.ts'
import { measurePgbench, measureServer } from '../measured-run.ts'
import type { Part, PartReport } from '../part.ts'
import { loadFreshClaims } from '../submission-run.ts'
import { readingScript } from '../transactions.ts'

/** The number of different claims, and pages. */
const PATHS = 2_000
const PAGES = 40

export const reading: Part = {
  name: 'reading',
  summary: 'one claim read per request, compared with pgbench; lists of fifty claims',
  run: async (bench, report) => {
    const { sizes } = bench
    const pick = await loadFreshClaims(bench, sizes.warmClaims)
    const numbers = Array.from({ length: PATHS }, (_, i) => 1 + Math.floor((i * pick.claims) / PATHS))
    const claims = numbers.map((n) => `/v1/claims/${claimId(pick.set, n)}`)
    const lists = numbers
      .filter((_, i) => i % (PATHS / PAGES) === 0)
      .map((n) => `/v1/claims?limit=50&after=${claimId(pick.set, n)}`)
    const yardstick = bench.pgbench ? readingScript(pick) : null
    const { ratio, perSecond } = await readFastest(bench, report, 'claims, one a request', claims, yardstick)
    report.figure('claim_reads_vs_pgbench', ratio)
    report.figure('claim_reads_per_second', perSecond)
    const listed = await readFastest(bench, report, 'lists of fifty', lists, null)
    report.figure('lists_per_second', listed.perSecond)
  },
}

async function readFastest(
  bench: Bench,
  report: PartReport,
  label: string,
  paths: string[],
  script: string | null,
): Promise<{ perSecond: number; ratio: number | null }> {
  const { sizes } = bench
  const read = (connections: number, measureMs: number): Promise<Measured> =>
    measureServer(bench, { label, connections, measureMs, requests: { kind: 'read', paths } })
  const readByPgbench = (connections: number, measureMs: number): Promise<Measured> =>
    measurePgbench(bench, { label, connections, measureMs, script: script as string })
  const service = await best(sizes.clients, (connections) => read(connections, sizes.sweepMs))
  const yardstick =
    script === null ? null : await best(sizes.clients, (clients) => readByPgbench(clients, sizes.sweepMs))
  const { service: measured, ratio } = await compare(bench, report, {
    name: `${label}: service, ${service.candidate} connections`,
    yardstickName: `${label}: pgbench, ${yardstick?.candidate} clients`,
    rounds: sizes.rounds,
    service: () => read(service.candidate, sizes.measureMs),
    yardstick: yardstick === null ? null : () => readByPgbench(yardstick.candidate, sizes.measureMs),
  })
  return { perSecond: measured.perSecond, ratio }
}
