import type { App } from '../app.ts'
import { UnusedContracts } from '../contracts/unused-contracts.ts'
import type { Job } from '../platform/jobs/scheduler.ts'
import { shortRun } from '../platform/jobs/short-run.ts'
import { forgetExpired } from './forget-expired.ts'
import { oldDeliveries } from './old-deliveries.ts'
import { oldNotifications } from './old-notifications.ts'

interface Removal {
  /** Goes on where it was, until it is over. Returns how many were removed. */
  removeSome: (isOver: () => boolean) => Promise<number>
}

/** Remove what is not needed any more, piece by piece. `onRemoved` gets what was removed and how many. */
export function retentionJobs(
  app: App,
  keptDays: number,
  onRemoved: (what: string, removed: number) => void,
): Job[] {
  const job = (what: string, every: number, removal: Removal): Job => ({
    name: `removing ${what}`,
    every,
    run: async () => {
      const removed = await removal.removeSome(shortRun())
      if (removed > 0) onRemoved(what, removed)
    },
  })
  return [
    // A day after test clocks were deleted.
    job('unused contracts', 15, new UnusedContracts(app)),
    job('old notifications', 300, oldNotifications(app, keptDays)),
    job('old deliveries', 300, oldDeliveries(app, keptDays)),
    { name: 'forgetting what has expired', every: 3_600, run: () => forgetExpired(app) },
  ]
}
