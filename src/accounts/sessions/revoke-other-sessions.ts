import type { App } from '../../app.ts'
import { endSessions } from './end-sessions.ts'
import type { Session } from './session-api.ts'
import { deleteOtherSessions } from './session-store.ts'

/** Ends all sessions of the account but the one that asks, with the tokens made in them; returns the number of these. */
export function revokeOtherSessions(app: App, { userId, tokenHash }: Session): Promise<number> {
  return endSessions(app, userId, (connection) => deleteOtherSessions(connection, userId, tokenHash))
}
