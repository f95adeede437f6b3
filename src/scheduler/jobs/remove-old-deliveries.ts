import type { App } from '../../app/app.ts'
import { OldDeliveries } from '../../app/webhooks/remove-old-deliveries.ts'
import type { Job } from '../scheduler.ts'
import { shortRun } from './short-run.ts'

/** Every few minutes, not at a whole one. `onRemoved` hears of how many. */
export function removeOldDeliveriesJob(
  app: App,
  keptDays: number,
  onRemoved: (deliveries: number) => void,
): Job {
  const old = new OldDeliveries(app, keptDays)
  return {
    name: 'removing old deliveries',
    pattern: '49 */5 * * * *',
    run: async () => {
      const removed = await old.removeSome(shortRun())
      if (removed > 0) onRemoved(removed)
    },
  }
}
