import { deleteExpiredSessions } from '../accounts/sessions/session-store.ts'
import { deleteExpiredThrottles } from '../accounts/throttle-store.ts'
import type { App } from '../app.ts'
import { removeOldKeys } from '../idempotency/idempotency-key-store.ts'
import { removeOldPositions } from '../platform/database/lists/deleted-positions.ts'

const BATCH_SIZE = 500

/**
 * Deletes expired sessions and Idempotency-Keys, counts of attempts whose window is over, and old positions of deleted records.
 */
export async function forgetExpired(app: App): Promise<void> {
  await deleteExpiredSessions(app.db.checks)
  await deleteExpiredThrottles(app.db.checks)
  for (const remove of [removeOldKeys, removeOldPositions])
    for (let removed = BATCH_SIZE; removed === BATCH_SIZE; )
      removed = await app.pace.take(() => remove(app.db.checks, BATCH_SIZE))
}
