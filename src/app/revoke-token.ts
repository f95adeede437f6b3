import { isUuid } from '../domain/uuid.ts'
import { StartupError } from '../startup-error.ts'
import { revokeApiToken } from '../storage/api-tokens.ts'
import { waitUntilHeard } from '../storage/revocations.ts'
import type { App } from './app.ts'
import { LONGEST_TRUST_MS } from './token-owners.ts'

/** Ends the token. When this resolves no server takes it any more. Revoking twice changes nothing. */
export async function revokeToken(app: App, id: string): Promise<void> {
  if (!isUuid(id))
    throw new StartupError(`${JSON.stringify(id)} is not a token's ID. See: claimkeeper token list`)
  const number = await app.db.transaction((connection) => revokeApiToken(connection, id))
  if (number === null) throw new StartupError(`No token has the ID ${id}.`)
  await waitUntilHeard(app.db, number, LONGEST_TRUST_MS)
}
