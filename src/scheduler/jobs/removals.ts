import type { App } from '../../app/app.ts'
import { oldDeliveries } from '../../app/removal/old-deliveries.ts'
import { oldNotifications } from '../../app/removal/old-notifications.ts'
import { UnusedContracts } from '../../app/removal/unused-contracts.ts'
import type { Job } from '../scheduler.ts'
import { shortRun } from './short-run.ts'

interface Removal {
  /** Goes on where it was, until it is over. Returns how many were removed. */
  removeSome: (isOver: () => boolean) => Promise<number>
}

/** What nobody needs any more, piece by piece, at no whole minute. `onRemoved` hears of what and how many. */
export function removalJobs(
  app: App,
  keptDays: number,
  onRemoved: (what: string, removed: number) => void,
): Job[] {
  const job = (what: string, pattern: string, removal: Removal): Job => ({
    name: `removing ${what}`,
    pattern,
    run: async () => {
      const removed = await removal.removeSome(shortRun())
      if (removed > 0) onRemoved(what, removed)
    },
  })
  return [
    // A day after test clocks were deleted.
    job('unused contracts', '9-54/15 * * * * *', new UnusedContracts(app)),
    job('old notifications', '39 */5 * * * *', oldNotifications(app, keptDays)),
    job('old deliveries', '49 */5 * * * *', oldDeliveries(app, keptDays)),
  ]
}
