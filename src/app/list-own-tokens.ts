import { type ApiToken, listApiTokensOf } from '../storage/api-tokens.ts'
import type { App } from './app.ts'

/** The account's tokens, newest first; of those that expired or were revoked the newest. */
export function listOwnTokens(app: App, userId: string): Promise<ApiToken[]> {
  return listApiTokensOf(app.db.reads.for(userId), userId)
}
