import { deleteExpiredSessions } from '../../storage/accounts/sessions.ts'
import { deleteExpiredThrottles } from '../../storage/accounts/throttles.ts'
import type { App } from '../app.ts'

/** Deletes what counts no more: sessions that have expired, and counts of attempts whose window is over. */
export async function forgetExpired(app: App): Promise<void> {
  await deleteExpiredSessions(app.db.checks)
  await deleteExpiredThrottles(app.db.checks)
}
