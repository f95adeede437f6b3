import type { App } from '../app.ts'
import { MINUTE_MS } from '../core/claims/check-time.ts'
import type { Job } from '../platform/jobs/scheduler.ts'
import { readCheckTime } from './read-check-time.ts'
import { runScheduledCheck } from './run-scheduled-check.ts'
import { sumUpResolutions } from './sum-up-resolutions.ts'

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

/** The totals of the overview. It would hold up a scheduled check for a moment, so it runs between checks. */
export const sumUpResolutionsJob = (app: App): Job => ({
  name: 'sums of resolutions',
  every: 300,
  run: () => sumUpResolutions(app),
})
