import { deleteExpiredSessions } from '../accounts/sessions/session-store.ts'
import { deleteExpiredThrottles } from '../accounts/throttle-store.ts'
import type { App } from '../app.ts'
import { UnusedContracts } from '../contracts/unused-contracts.ts'
import { removeOldKeys } from '../idempotency/idempotency-key-store.ts'
import { listAccounts, removeNotifications } from '../notifications/notification-removal-store.ts'
import { removeOldPositions } from '../platform/database/lists/deleted-positions.ts'
import { type Job, shortRun } from '../platform/jobs/scheduler.ts'
import { removeDeliveries } from '../webhooks/delivery-store.ts'
import { listAllEndpoints, removeEndpoint } from '../webhooks/endpoint-store.ts'
import { REMOVAL_BATCH_SIZE } from './limits.ts'
import { OldRecords } from './old-records.ts'

interface Removal {
  /** Continues after the last batch until `isOver`. Returns the number of removed records. */
  removeBatches: (isOver: () => boolean) => Promise<number>
}

/** Jobs that remove old records in batches. `onRemoved` gets the kind and the count of the removed records. */
export function retentionJobs(
  app: App,
  retentionDays: number,
  onRemoved: (what: string, removed: number) => void,
): Job[] {
  const job = (what: string, every: number, removal: Removal): Job => ({
    name: `removing ${what}`,
    every,
    run: async () => {
      const removed = await removal.removeBatches(shortRun())
      if (removed > 0) onRemoved(what, removed)
    },
  })
  return [
    // A day after test clocks were deleted.
    job('unused contracts', 15, new UnusedContracts(app)),
    job('old notifications', 300, oldNotifications(app, retentionDays)),
    job('old deliveries', 300, oldDeliveries(app, retentionDays)),
    { name: 'removing expired records', every: 3_600, run: () => forgetExpired(app) },
  ]
}

/** Deletes expired sessions and Idempotency-Keys, expired counts of attempts, and old positions of deleted records. */
export async function forgetExpired(app: App): Promise<void> {
  await deleteExpiredSessions(app.db.checks)
  await deleteExpiredThrottles(app.db.checks)
  for (const remove of [removeOldKeys, removeOldPositions])
    for (let removed = REMOVAL_BATCH_SIZE; removed === REMOVAL_BATCH_SIZE; )
      removed = await app.throttle.run(() => remove(app.db.checks, REMOVAL_BATCH_SIZE))
}

interface Endpoint {
  id: string
  isDeleted: boolean
}

/** Removes deliveries endpoint by endpoint, and the rest of deleted endpoints. */
export function oldDeliveries(app: App, retentionDays: number): OldRecords<Endpoint> {
  const db = app.db.checks
  return new OldRecords<Endpoint>(app, retentionDays, {
    listOwners: (after, count) => listAllEndpoints(db, after, count),
    removeBatch: async ({ id, isDeleted }, before) => {
      const removed = await removeDeliveries(db, id, isDeleted ? null : before)
      if (removed === 0 && isDeleted) await removeEndpoint(db, id)
      return removed
    },
  })
}

/** Removes notifications account by account. */
export function oldNotifications(app: App, retentionDays: number): OldRecords<{ id: string }> {
  const db = app.db.checks
  return new OldRecords(app, retentionDays, {
    listOwners: (after, count) => listAccounts(db, after, count),
    removeBatch: ({ id }, before) => removeNotifications(db, id, before),
  })
}
