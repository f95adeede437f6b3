import { findApiToken } from '../storage/api-tokens.ts'
import type { App } from './app.ts'
import { endToken } from './end-token.ts'
import { tokenNotFound } from './not-found.ts'

/** Ends a token of the account at once, on every server; twice changes nothing. @throws TOKEN_NOT_FOUND */
export async function revokeOwnToken(app: App, userId: string, id: string): Promise<void> {
  if (!(await findApiToken(app.db.reads.for(userId), userId, id))) throw tokenNotFound(id)
  await endToken(app.db.callers.for(userId), id)
}
