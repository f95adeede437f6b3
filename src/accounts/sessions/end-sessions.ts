import type { App } from '../../app.ts'
import type { Connection } from '../../platform/database/connection.ts'
import { TOKEN_CACHE_TRUST_MS } from '../limits.ts'
import { waitUntilAllAcknowledged } from '../revocation-store.ts'
import { revokeTokensOfSessions } from '../tokens/api-token-store.ts'
import type { Session } from './session-api.ts'
import { deleteOtherSessions, deleteSession } from './session-store.ts'

/**
 * Ends sessions of the account and the tokens that were created in them: an attacker may have used the session. When this
 * resolves, no server accepts the sessions or the tokens. Returns the number of revoked tokens.
 * @param deleteSessions returns the ids of the deleted sessions
 */
async function endSessions(
  app: App,
  userId: string,
  deleteSessions: (connection: Connection) => Promise<string[]>,
): Promise<number> {
  const db = app.db.callers.for(userId)
  const count = await db.transaction(async (connection) =>
    revokeTokensOfSessions(connection, userId, await deleteSessions(connection)),
  )
  // Also if no session was found: an earlier request may have ended them without receiving a response.
  await waitUntilAllAcknowledged(db, TOKEN_CACHE_TRUST_MS)
  return count
}

/**
 * Ends a session of the same account at once, on every server, with the tokens that were created in it. An unknown session
 * changes nothing. Returns the number of revoked tokens.
 */
export function revokeSession(app: App, { userId }: Session, tokenHash: string): Promise<number> {
  return endSessions(app, userId, (connection) => deleteSession(connection, userId, tokenHash))
}

/** Ends all other sessions of the account, with the tokens that were created in them. Returns the number of revoked tokens. */
export function revokeOtherSessions(app: App, { userId, tokenHash }: Session): Promise<number> {
  return endSessions(app, userId, (connection) => deleteOtherSessions(connection, userId, tokenHash))
}
