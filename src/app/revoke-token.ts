import { isUuid } from '../domain/uuid.ts'
import { StartupError } from '../startup-error.ts'
import type { App } from './app.ts'
import { endToken } from './end-token.ts'

/** Ends the token, on every server. Revoking twice changes nothing. */
export async function revokeToken(app: App, id: string): Promise<void> {
  if (!isUuid(id))
    throw new StartupError(`${JSON.stringify(id)} is not a token's ID. See: claimkeeper token list`)
  if (!(await endToken(app.db.identity, id))) throw new StartupError(`No token has the ID ${id}.`)
}
