import type { Bench } from '../bench.ts'
import { analyze, loadClaims } from '../claims.ts'
import { watchCpu } from '../cpu-watch.ts'
import { highestSingleRate } from '../fastest.ts'
import type { Phase, PhaseResult } from '../load/plan.ts'
import { startLoad } from '../load/run-load.ts'
import type { ClaimPick } from '../load/submissions.ts'
import type { Measured } from '../measured.ts'
import { measuredOf, planOf, requireAccepted } from '../measured-run.ts'
import type { Part } from '../part.ts'
import type { Sizes } from '../sizes.ts'
import { freshClaims, submit } from '../submission-run.ts'
import { verifyResolved } from '../verification.ts'
import { waitForTransitions } from '../wait-for-transitions.ts'

const CONNECTIONS = 64
const MINUTE_MS = 60_000
/** The run before the check submitted to the same claims. */
const FIRST_DURING_CHECK = 1_000_000_000
/** A check that is not through by then is given up. */
const LONGEST_CHECK_MS = 600_000

export const check: Part = {
  name: 'check',
  summary: 'overdue claims resolved by the scheduled check while events are submitted to others',
  idleMs: (sizes) => nextCheck(sizes) - Date.now() - sizes.overdueLeadMs,
  run: async (bench, report) => {
    const { overdueClaims, measureMs } = bench.sizes
    const rate = (await highestSingleRate(bench)) / 2
    const pick = await freshClaims(bench, bench.sizes.warmClaims)
    const set = bench.nextSet()
    const checkTime = await loadOverdue(bench, set)

    const run = { label: 'half of the maximum rate', pick, connections: CONNECTIONS, rate, measureMs }
    const before = await submit(bench, run)
    report.measured('half of the maximum rate, no check', before)
    const { seconds, during } = await watchCheck(bench, pick, rate, checkTime)
    report.measured('half of the maximum rate, during the check', during)

    bench.progress.doing('looking at every resolved claim')
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
  const workplace = await bench.main()
  const untilCheckMs = checkTime.getTime() - Date.now()
  const phase: Phase = {
    requests: { kind: 'submit', pick, batch: 1, first: FIRST_DURING_CHECK },
    until: { warmupMs: untilCheckMs, measureMs: LONGEST_CHECK_MS },
    rate,
  }
  const timeoutMs = untilCheckMs + LONGEST_CHECK_MS
  const resolved = waitForTransitions(workplace, bench.sizes.overdueClaims, checkTime, timeoutMs)
  const cpu = await watchCpu(bench, untilCheckMs)
  const load = startLoad(planOf(workplace, CONNECTIONS, phase), bench.cleanup)
  const label = `waiting for the check at ${checkTime.toISOString().slice(11, 16)}Z`
  const seconds = await bench.progress.during(
    label,
    untilCheckMs,
    Promise.race([resolved, failed(load.results)]),
  )
  const shares = cpu()
  load.stop()
  const [during] = await load.results
  requireAccepted(during as PhaseResult)
  return { seconds, during: { ...measuredOf(during as PhaseResult), ...shares } }
}

async function failed(results: Promise<unknown>): Promise<never> {
  await results
  throw new Error('the check did not end in time')
}
