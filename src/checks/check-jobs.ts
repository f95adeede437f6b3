import { setTimeout as sleep } from 'node:timers/promises'
import type { App } from '../app.ts'
import { checkAtOrAfter, checksBefore } from '../core/claims/lifecycle.ts'
import { MINUTE_MS } from '../kernel/durations.ts'
import { addResolutionsToTotals } from '../overview/resolution-total-store.ts'
import { readClock } from '../platform/database/clock.ts'
import type { Database } from '../platform/database/database.ts'
import type { Job } from '../platform/jobs/scheduler.ts'
import { tryLockChecks } from './due-claim-store.ts'
import { MAX_HOST_CLOCK_LEAD_MS, RESOLUTION_TOTALS_INTERVAL_SECONDS } from './limits.ts'
import { runScheduledCheck } from './run-scheduled-check.ts'

type OnDone = (transitions: number, checkTime: Date, durationMs: number) => void

/**
 * Runs the scheduled check at each whole minute (§3 rule 1). A run that takes longer than a minute continues with the time of
 * the next minute: a transition must not get an earlier time than its real one, or its review window would be shorter.
 * @param onDone called after the check of each minute
 */
export function scheduledCheckJob(app: App, onDone: OnDone): Job {
  const { checks } = app.db.metrics.instruments
  return {
    name: 'scheduled check',
    every: 'whole minute',
    run: async () => {
      try {
        await app.overdueLag.during(app.db, async () => {
          while (await checkOneMinute(app, onDone));
        })
      } catch (error) {
        checks.inc({ result: 'failed' })
        throw error
      }
    },
  }
}

/** Returns whether the check of the next minute must continue. */
async function checkOneMinute(app: App, onDone: OnDone): Promise<boolean> {
  let mustContinue = false
  const checkTime = await readCheckTime(app.db)
  const startedAt = performance.now()
  const isOver = () => {
    mustContinue = performance.now() - startedAt >= MINUTE_MS
    return mustContinue
  }
  const transitions = await runScheduledCheck(app, checkTime, isOver)
  const durationMs = performance.now() - startedAt
  const { instruments } = app.db.metrics
  instruments.checks.inc({ result: 'done' })
  instruments.checkSeconds.observe(durationMs / 1_000)
  instruments.checkDoneAt.set(Date.now() / 1_000)
  instruments.checkLagSeconds.set(Math.max(0, Date.now() - checkTime.getTime()) / 1_000)
  onDone(transitions, checkTime, Math.round(durationMs))
  return mustContinue
}

/**
 * The time of the current scheduled check: the whole minute that has begun, by the database's clock. If the host's clock is
 * a little ahead, waits until the minute begins.
 */
export async function readCheckTime(db: Database): Promise<Date> {
  const now = await readClock(db.checks)
  const next = checkAtOrAfter(now)
  const leadMs = next.getTime() - now.getTime()
  if (leadMs > MAX_HOST_CLOCK_LEAD_MS) return checksBefore(next, 1)
  await sleep(leadMs)
  return next
}

/** Updates the totals of the overview. Runs between scheduled checks, because it would delay a check briefly. */
export const sumUpResolutionsJob = ({ db }: App): Job => ({
  name: 'sums of resolutions',
  every: RESOLUTION_TOTALS_INTERVAL_SECONDS,
  run: () => sumUpResolutions(db),
})

/** Overviews then read only the resolutions of the last minutes one by one. Does nothing while a scheduled check runs. */
export function sumUpResolutions(db: Database): Promise<void> {
  return db.checks.transaction(async (connection) => {
    if (await tryLockChecks(connection)) await addResolutionsToTotals(connection)
  })
}
