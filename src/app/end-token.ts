import { revokeApiToken } from '../storage/api-tokens.ts'
import { waitUntilHeard } from '../storage/revocations.ts'
import type { App } from './app.ts'
import { LONGEST_TRUST_MS } from './token-owners.ts'

/** Ends a token; when this resolves no server takes it any more. False where there is none with this id. */
export async function endToken(app: App, id: string): Promise<boolean> {
  const number = await app.db.identity.transaction((connection) => revokeApiToken(connection, id))
  if (number === null) return false
  await waitUntilHeard(app.db.identity, number, LONGEST_TRUST_MS)
  return true
}
