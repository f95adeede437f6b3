import { deleteSession } from '../storage/sessions.ts'
import type { App } from './app.ts'
import type { Session } from './session-api.ts'

/** Ends a session of the same account at once, on every server; one that is not there changes nothing. */
export async function revokeSession(app: App, by: Session, tokenHash: string): Promise<void> {
  await deleteSession(app.db, by.userId, tokenHash)
}
