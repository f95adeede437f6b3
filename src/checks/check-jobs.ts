import { setTimeout as pause } from 'node:timers/promises'
import type { App } from '../app.ts'
import { checkAtOrAfter, checksBefore, MINUTE_MS } from '../core/claims/lifecycle.ts'
import { sumUpResolutions as sumUp } from '../overview/resolution-total-store.ts'
import { readClock } from '../platform/database/clock.ts'
import type { Job } from '../platform/jobs/scheduler.ts'
import { tryHoldChecks } from './due-claim-store.ts'
import { runScheduledCheck } from './run-scheduled-check.ts'

/**
 * The scheduled check, at each whole minute (§3 rule 1). A run that takes longer than a minute goes on with the
 * time of the next one: what it moves late must not be dated back, or its review window would be shortened.
 * `onDone` hears how many transitions were made, and how long it took in milliseconds.
 */
export function scheduledCheckJob(
  app: App,
  onDone: (transitions: number, checkTime: Date, durationMs: number) => void,
): Job {
  const { checks } = app.db.metrics.instruments
  return {
    name: 'scheduled check',
    every: 'whole minute',
    run: async () => {
      try {
        await app.overdue.during(app.db, async () => {
          while (await checkForAMinute(app, onDone));
        })
      } catch (error) {
        checks.inc({ result: 'failed' })
        throw error
      }
    },
  }
}

/** Whether there may be more to do, for the check of the next minute. */
async function checkForAMinute(
  app: App,
  onDone: (transitions: number, checkTime: Date, durationMs: number) => void,
): Promise<boolean> {
  let goesOn = false
  const checkTime = await readCheckTime(app)
  const startedAt = performance.now()
  const isOver = () => {
    goesOn = performance.now() - startedAt >= MINUTE_MS
    return goesOn
  }
  const transitions = await runScheduledCheck(app, checkTime, isOver)
  const durationMs = performance.now() - startedAt
  const measures = app.db.metrics.instruments
  measures.checks.inc({ result: 'done' })
  measures.checkSeconds.observe(durationMs / 1_000)
  measures.checkDoneAt.set(Date.now() / 1_000)
  measures.checkLagSeconds.set(Math.max(0, Date.now() - checkTime.getTime()) / 1_000)
  onDone(transitions, checkTime, Math.round(durationMs))
  return goesOn
}

/** The totals of the overview. Runs between scheduled checks, because it would delay one briefly. */
export const sumUpResolutionsJob = (app: App): Job => ({
  name: 'sums of resolutions',
  every: 300,
  run: () => sumUpResolutions(app),
})

/** A host's clock that runs ahead of the database's by no more than this is waited for. */
const TOLERATED_LEAD_MS = 5_000

/**
 * The time of the scheduled check that is on now: the whole minute that has begun, by the database's clock.
 * If the host's clock rings a little before the database's minute, waits for that minute to begin.
 */
export async function readCheckTime(app: App): Promise<Date> {
  const now = await readClock(app.db.checks)
  const next = checkAtOrAfter(now)
  const leadMs = next.getTime() - now.getTime()
  if (leadMs > TOLERATED_LEAD_MS) return checksBefore(next, 1)
  await pause(leadMs)
  return next
}

/**
 * Keeps the sums of what was resolved up to date, so that overviews need to read but the last minutes one by one. While
 * a scheduled check is on, that is left for the next time.
 */
export function sumUpResolutions(app: App): Promise<void> {
  return app.db.checks.transaction(async (connection) => {
    if (await tryHoldChecks(connection)) await sumUp(connection)
  })
}
