import { deleteExpiredSessions } from '../../storage/accounts/sessions.ts'
import { deleteExpiredThrottles } from '../../storage/accounts/throttles.ts'
import { removeOldKeys } from '../../storage/idempotency/keys.ts'
import { removeOldPositions } from '../../storage/lists/deleted-positions.ts'
import type { App } from '../app.ts'

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
