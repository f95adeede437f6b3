import type { App } from '../../app/app.ts'
import { OldNotifications } from '../../app/notifications/remove-old-notifications.ts'
import type { Job } from '../scheduler.ts'
import { shortRun } from './short-run.ts'

/** Every few minutes, not at a whole one. `onRemoved` hears of how many. */
export function removeOldNotificationsJob(
  app: App,
  keptDays: number,
  onRemoved: (notifications: number) => void,
): Job {
  const old = new OldNotifications(app, keptDays)
  return {
    name: 'removing old notifications',
    pattern: '39 */5 * * * *',
    run: async () => {
      const removed = await old.removeSome(shortRun())
      if (removed > 0) onRemoved(removed)
    },
  }
}
