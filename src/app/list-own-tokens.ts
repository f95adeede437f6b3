import { type ApiToken, listApiTokensOf } from '../storage/api-tokens.ts'
import { newestFirst } from '../storage/newest-first.ts'
import type { App } from './app.ts'

/** The account's tokens, newest first; of those that expired or were revoked the newest. */
export const listOwnTokens = (app: App, userId: string): AsyncGenerator<ApiToken[]> =>
  newestFirst((after, limit) => listApiTokensOf(app.db.reads.for(userId), userId, after, limit))
