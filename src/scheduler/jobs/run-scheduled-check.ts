import type { App } from '../../app/app.ts'
import { readCheckTime } from '../../app/read-check-time.ts'
import { runScheduledCheck } from '../../app/run-scheduled-check.ts'
import type { Job } from '../scheduler.ts'

/** The scheduled check, at each whole minute (§3 rule 1). `onDone` hears how many transitions it made. */
export function scheduledCheckJob(app: App, onDone: (transitions: number, checkTime: Date) => void): Job {
  return {
    name: 'scheduled check',
    pattern: '* * * * *',
    run: async () => {
      const checkTime = await readCheckTime(app)
      onDone(await runScheduledCheck(app, checkTime), checkTime)
    },
  }
}
