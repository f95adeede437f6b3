import type { Bench } from '../bench.ts'
import { clearClaims, loadClaims } from '../claims.ts'
import { verifyResolved } from '../verification.ts'
import { waitForTransitions } from '../wait-for-transitions.ts'
import type { Side } from './side.ts'
import { readyTables } from './side-load.ts'
import { readUsage, type Usage, usageBetween } from './usage.ts'

const MINUTE_MS = 60_000
/** Time for loading the claims, with a large margin. */
const FIRST_LEAD_MS = 8_000
const LEAD_MS_PER_CLAIM = 0.2
/** Timeout of a check. */
const MAX_CHECK_MS = 120_000

export interface CheckMeasured {
  claims: number
  seconds: number
  perSecond: number
  usage: Usage
}

/** Measures the scheduled check of overdue claims without other requests, then verifies each claim. */
export async function checkAt(bench: Bench, side: Side, claims: number): Promise<CheckMeasured> {
  const set = bench.nextSet()
  const checkTime = await loadOverdue(bench, side, set, claims)
  const untilMs = checkTime.getTime() - Date.now()
  const resolved = waitForTransitions(side, claims, checkTime, untilMs + MAX_CHECK_MS)
  const first = new Promise<Awaited<ReturnType<typeof readUsage>>>((resolve, reject) => {
    setTimeout(() => readUsage(side).then(resolve, reject), untilMs)
  })
  const label = `${side.name}: waiting for the check at ${checkTime.toISOString().slice(11, 16)}Z`
  const [seconds, before] = await bench.progress.during(label, untilMs, Promise.all([resolved, first]))
  const after = await readUsage(side)
  // All usage between the two readings is attributed to the check.
  const usage = scaled(usageBetween(before, after), (after.atMs - before.atMs) / 1000 / seconds)
  bench.progress.doing(`${side.name}: verifying every resolved claim`)
  await verifyResolved(side.database, set, claims)
  return { claims, seconds, perSecond: claims / seconds, usage }
}

function scaled(usage: Usage, factor: number): Usage {
  const times = (value: number | null) => (value === null ? null : value * factor)
  return {
    server: times(usage.server),
    coordinator: times(usage.coordinator),
    workers: times(usage.workers),
    transactions: usage.transactions * factor,
    walBytes: usage.walBytes * factor,
  }
}

/** Returns the whole minute whose check finds all claims. No earlier check finds any. */
async function loadOverdue(bench: Bench, side: Side, set: number, claims: number): Promise<Date> {
  const leadMs = FIRST_LEAD_MS + claims * LEAD_MS_PER_CLAIM
  const checkTime = new Date(Math.ceil((Date.now() + leadMs) / MINUTE_MS) * MINUTE_MS)
  await clearClaims(side.database)
  bench.progress.doing(`${side.name}: loading ${claims.toLocaleString('en')} overdue claims`)
  await loadClaims(side.database, { set, claims, dueBy: checkTime }, (fraction) =>
    bench.progress.at(fraction),
  )
  await readyTables(bench, side)
  if (Date.now() + 500 > checkTime.getTime()) {
    throw new Error('loading the overdue claims took longer than expected: the machine is too busy or slow')
  }
  return checkTime
}
