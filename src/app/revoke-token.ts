import { isUuid } from '../domain/uuid.ts'
import { StartupError } from '../startup-error.ts'
import { revokeApiToken } from '../storage/api-tokens.ts'
import type { App } from './app.ts'

/** Ends the token at once, on every server; revoking twice changes nothing. */
export async function revokeToken(app: App, id: string): Promise<void> {
  if (!isUuid(id))
    throw new StartupError(`${JSON.stringify(id)} is not a token's ID. See: claimkeeper token list`)
  if (!(await revokeApiToken(app.db, id))) throw new StartupError(`No token has the ID ${id}.`)
}
