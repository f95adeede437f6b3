import { deleteOtherSessions } from '../storage/sessions.ts'
import type { App } from './app.ts'
import type { Session } from './session-api.ts'

/** Ends all sessions of the account but the one that asks. */
export async function revokeOtherSessions(app: App, by: Session): Promise<void> {
  await deleteOtherSessions(app.db, by.userId, by.tokenHash)
}
