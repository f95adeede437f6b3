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

/** Enough for the rate though each answer took 100 ms: fewer would hold the requests back themselves. */
const CONNECTIONS = 512
const MINUTE_MS = 60_000
/** A check that is not through by then is given up. */
const MAX_CHECK_MS = 600_000

export const check: Part = {
  name: 'check',
  summary: 'overdue claims resolved by the scheduled check, while events are submitted to other claims',
  idleMs: (sizes) => nextCheck(sizes) - Date.now() - sizes.overdueLeadMs,
  run: async (bench, report) => {
    const { overdueClaims, measureMs } = bench.sizes
    // Enough claims that their logs stay short: each gets an event now and then, as most claims do.
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

/** The first whole minute before which there is time to load the claims. */
const nextCheck = ({ overdueLeadMs }: Sizes) =>
  Math.ceil((Date.now() + overdueLeadMs) / MINUTE_MS) * MINUTE_MS

/** Returns the whole minute whose check finds them all; no earlier one finds any. */
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
  // What is still to be done before the check, and a second to spare.
  if (Date.now() + warmupMs + measureMs + 1_000 > checkTime) {
    throw new Error(
      'loading the overdue claims took longer than expected: this machine is too busy or too slow',
    )
  }
  return new Date(checkTime)
}

/** Submits at the rate from now on, and counts from the check's time until its last claim is resolved. */
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
