import { type ApiToken, listApiTokens } from '../storage/api-tokens.ts'
import type { App } from './app.ts'

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
