import { revokeTokensOfSessions } from '../storage/api-tokens.ts'
import type { Connection } from '../storage/database.ts'
import { waitUntilHeard } from '../storage/revocations.ts'
import type { App } from './app.ts'
import { LONGEST_TRUST_MS } from './token-owners.ts'

/**
 * Ends sessions of the account, and the tokens that were made in them: who ends a session may not know who was there.
 * When this resolves no server takes any of them any more. Returns how many tokens ended with them.
 * @param deleteSessions returns their ids
 */
export async function endSessions(
  app: App,
  userId: string,
  deleteSessions: (connection: Connection) => Promise<string[]>,
): Promise<number> {
  const { count, number } = await app.db.identity.transaction(async (connection) =>
    revokeTokensOfSessions(connection, userId, await deleteSessions(connection)),
  )
  if (number !== null) await waitUntilHeard(app.db.identity, number, LONGEST_TRUST_MS)
  return count
}
