import type { App } from '../../app.ts'
import type { Connection } from '../../platform/database/connection.ts'
import { waitUntilAllHeard } from '../revocation-store.ts'
import { revokeTokensOfSessions } from '../tokens/api-token-store.ts'
import { LONGEST_TRUST_MS } from '../tokens/token-owners.ts'
import type { Session } from './session-api.ts'
import { deleteOtherSessions, deleteSession } from './session-store.ts'

/**
 * Ends sessions of the account and the tokens that were created in them: a stranger may have used the session.
 * When this resolves no server takes any of them any more. Returns how many tokens ended with them.
 * @param deleteSessions returns their ids
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
  // Also if none was found: an earlier try may have ended them, and got no answer.
  await waitUntilAllHeard(db, LONGEST_TRUST_MS)
  return count
}

/**
 * Ends a session of the same account at once, on every server, with the tokens that were made in it; one that is not
 * there changes nothing. Returns the number of those tokens.
 */
export function revokeSession(app: App, { userId }: Session, tokenHash: string): Promise<number> {
  return endSessions(app, userId, (connection) => deleteSession(connection, userId, tokenHash))
}

/** Ends all sessions of the account but the one that asks, with the tokens made in them; returns the number of these. */
export function revokeOtherSessions(app: App, { userId, tokenHash }: Session): Promise<number> {
  return endSessions(app, userId, (connection) => deleteOtherSessions(connection, userId, tokenHash))
}
