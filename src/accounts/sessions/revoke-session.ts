import type { App } from '../../app.ts'
import { endSessions } from './end-sessions.ts'
import type { Session } from './session-api.ts'
import { deleteSession } from './session-store.ts'

/**
 * Ends a session of the same account at once, on every server, with the tokens that were made in it; one that is not
 * there changes nothing. Returns the number of those tokens.
 */
export function revokeSession(app: App, { userId }: Session, tokenHash: string): Promise<number> {
  return endSessions(app, userId, (connection) => deleteSession(connection, userId, tokenHash))
}
