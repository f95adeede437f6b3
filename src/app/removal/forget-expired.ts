import { deleteExpiredSessions } from '../../storage/accounts/sessions.ts'
import { deleteExpiredThrottles } from '../../storage/accounts/throttles.ts'
import { removeOldKeys } from '../../storage/idempotency/keys.ts'
import { removeOldPositions } from '../../storage/lists/deleted-positions.ts'
import type { App } from '../app.ts'

const AT_ONCE = 500

/**
 * Deletes what counts no more: sessions and Idempotency-Keys that have expired, counts of attempts whose window is over, and
 * positions of records that were deleted long ago.
 */
export async function forgetExpired(app: App): Promise<void> {
  await deleteExpiredSessions(app.db.checks)
  await deleteExpiredThrottles(app.db.checks)
  for (const remove of [removeOldKeys, removeOldPositions])
    for (let removed = AT_ONCE; removed === AT_ONCE; )
      removed = await app.pace.take(() => remove(app.db.checks, AT_ONCE))
}
