import type { App } from '../../app.ts'
import type { ApiToken } from '../../core/records.ts'
import { OperatorError } from '../../kernel/operator-error.ts'
import { findUserByEmail } from '../user-store.ts'
import { hashToken, newToken } from './api-token.ts'
import { insertApiToken, listApiTokens } from './api-token-store.ts'
import { endToken } from './end-token.ts'

/**
 * Creates a token for the account with this email. The secret is returned once and stored nowhere.
 * @param show receives the secret before the commit. If it fails, no token is stored.
 */
export async function createToken(
  app: App,
  request: { email: string; name: string; expiresAt: Date | null },
  show: (token: string) => Promise<void> = async () => {},
): Promise<string> {
  const user = await findUserByEmail(app.db, request.email)
  if (!user) throw new OperatorError(`No account has the email ${request.email}. See: claimkeeper user list`)
  const token = newToken()
  await app.db.transaction(async (connection) => {
    await insertApiToken(connection, {
      userId: user.id,
      name: request.name,
      hash: hashToken(token),
      expiresAt: request.expiresAt,
      sessionId: null,
      most: null,
    })
    await show(token)
  })
  return token
}

export interface TokenWithState extends ApiToken {
  state: 'active' | 'expired' | 'revoked'
}

/** Every token of every account, oldest first. */
export async function listTokens(app: App): Promise<TokenWithState[]> {
  const now = new Date()
  const tokens = await listApiTokens(app.db)
  return tokens.map((token) => ({ ...token, state: stateOf(token, now) }))
}

function stateOf({ revokedAt, expiresAt }: ApiToken, now: Date): TokenWithState['state'] {
  if (revokedAt !== null) return 'revoked'
  return expiresAt !== null && expiresAt <= now ? 'expired' : 'active'
}

/** Ends the token, on every server. Revoking twice changes nothing. */
export async function revokeToken(app: App, id: string): Promise<void> {
  if (!(await endToken(app.db.identity, id))) throw new OperatorError(`No token has the ID ${id}.`)
}
