import { deleteExpiredSessions } from '../../storage/accounts/sessions.ts'
import { deleteExpiredThrottles } from '../../storage/accounts/throttles.ts'
import { removeOldKeys } from '../../storage/idempotency/keys.ts'
import type { App } from '../app.ts'

const KEYS_AT_ONCE = 500

/** Deletes what counts no more: sessions and Idempotency-Keys that have expired, and counts of attempts whose window is over. */
export async function forgetExpired(app: App): Promise<void> {
  await deleteExpiredSessions(app.db.checks)
  await deleteExpiredThrottles(app.db.checks)
  for (let removed = KEYS_AT_ONCE; removed === KEYS_AT_ONCE; )
    removed = await app.pace.take(() => removeOldKeys(app.db.checks, KEYS_AT_ONCE))
}
