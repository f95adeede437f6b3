import type { Bench } from '../bench.ts'
import { analyze, loadClaims } from '../claims.ts'
import { highestRateOf } from '../fastest.ts'
import type { ClaimPick } from '../load/submissions.ts'
import type { Measured } from '../measured.ts'
import type { Part } from '../part.ts'
import type { Sizes } from '../sizes.ts'
import { loadFreshClaims, submit, submitDuring } from '../submission-run.ts'
import { verifyResolved } from '../verification.ts'
import { waitForTransitions } from '../wait-for-transitions.ts'

/** Enough for the rate even if each response takes 100 ms. Fewer connections would delay the requests. */
const CONNECTIONS = 512
const MINUTE_MS = 60_000
/** Timeout of a check. */
const MAX_CHECK_MS = 600_000

export const check: Part = {
  name: 'check',
  summary: 'overdue claims resolved by the scheduled check, while events are submitted to other claims',
  idleMs: (sizes) => nextCheck(sizes) - Date.now() - sizes.overdueLeadMs,
  run: async (bench, report) => {
    const { overdueClaims, measureMs } = bench.sizes
    // Enough claims that their logs stay short, as in real data.
    const pick = await loadFreshClaims(bench, bench.sizes.coldClaims)
    const rate = (await highestRateOf(bench, pick)) / 2
    const set = bench.nextSet()
    const checkTime = await loadOverdue(bench, set)

    const run = { label: 'half of the maximum rate', pick, connections: CONNECTIONS, rate, measureMs }
    const before = await submit(bench, run)
    report.measured('half of the maximum rate, no check', before)
    const { seconds, during } = await watchCheck(bench, pick, rate, checkTime)
    report.measured('half of the maximum rate, during the check', during)

    bench.progress.doing('checking every resolved claim')
    await verifyResolved((await bench.main()).database, set, overdueClaims)
    report.row({
      what: `${overdueClaims.toLocaleString('en')} overdue claims resolved`,
      perSecond: overdueClaims / seconds,
      note: `in ${seconds.toFixed(1)} s; all terminal with one system event each`,
    })
    report.figure('check_seconds_per_million', (seconds * 1e6) / overdueClaims)
    report.latencyFigures('submit', 'during_check', during)
    report.latencyFigures('submit', 'without_check', before)
  },
}

/** The first whole minute that leaves enough time to load the claims. */
const nextCheck = ({ overdueLeadMs }: Sizes) =>
  Math.ceil((Date.now() + overdueLeadMs) / MINUTE_MS) * MINUTE_MS

/** Returns the whole minute whose check finds all claims. No earlier check finds any. */
async function loadOverdue(bench: Bench, set: number): Promise<Date> {
  const { overdueClaims, warmupMs, measureMs } = bench.sizes
  const { database } = await bench.main()
  const checkTime = nextCheck(bench.sizes)
  bench.progress.doing(`loading ${overdueClaims.toLocaleString('en')} overdue claims`)
  await loadClaims(database, { set, claims: overdueClaims, dueBy: new Date(checkTime) }, (fraction) =>
    bench.progress.at(fraction),
  )
  bench.progress.doing('vacuum and analyze')
  await analyze(database)
  await (await bench.cluster()).checkpoint()
  // The remaining work before the check, and a margin of one second.
  if (Date.now() + warmupMs + measureMs + 1_000 > checkTime) {
    throw new Error(
      'loading the overdue claims took longer than expected: this machine is too busy or too slow',
    )
  }
  return new Date(checkTime)
}

/** Submits at the rate from now on. Measures from the time of the check until its last claim is resolved. */
async function watchCheck(
  bench: Bench,
  pick: ClaimPick,
  rate: number,
  checkTime: Date,
): Promise<{ seconds: number; during: Measured }> {
  const untilCheckMs = checkTime.getTime() - Date.now()
  const { server } = await bench.main()
  const label = `waiting for the check at ${checkTime.toISOString().slice(11, 16)}Z`
  const { done, measured } = await submitDuring(
    bench,
    { pick, connections: CONNECTIONS, rate, warmupMs: untilCheckMs, maxMs: MAX_CHECK_MS },
    () => {
      const timeoutMs = untilCheckMs + MAX_CHECK_MS
      const resolved = waitForTransitions({ server }, bench.sizes.overdueClaims, checkTime, timeoutMs)
      return bench.progress.during(label, untilCheckMs, resolved)
    },
  )
  return { seconds: done, during: measured }
}
