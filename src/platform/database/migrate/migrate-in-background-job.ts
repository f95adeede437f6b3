import type { App } from '../../../app.ts'
import type { Job } from '../../jobs/scheduler.ts'
import type { BackgroundState } from './run-background-migrations.ts'

/**
 * After an upgrade, until all migrations are done that were left to the background; then it does nothing. `onProgress` hears
 * each time how it goes, at last null. A run only sees to it that they are under way: they may take hours.
 */
export function migrateInBackgroundJob(
  { backgroundMigrations }: App,
  onProgress: (state: BackgroundState | null) => void,
  onError: (error: unknown) => void,
): Job {
  let isDone = false
  let wasUnderWay = false
  return {
    name: 'migrating in the background',
    every: 10,
    run: async () => {
      if (isDone) return
      const state = await backgroundMigrations.lookAfter(onError)
      isDone = state === null
      if (state !== null || wasUnderWay) onProgress(state)
      wasUnderWay = !isDone
    },
  }
}
