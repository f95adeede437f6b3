import { validationError } from '../errors.ts'
import { type ApiToken, findApiToken, insertApiToken } from '../storage/api-tokens.ts'
import { hashToken, newToken } from './api-token.ts'
import type { App } from './app.ts'
import { tokenInvalid } from './authenticate-token.ts'

/**
 * Makes a token for the account that asks, in a session of it. The secret is returned once and stored nowhere.
 * @throws VALIDATION_ERROR, TOKEN_INVALID where the session has just been ended
 */
export async function createOwnToken(
  app: App,
  request: { userId: string; sessionId: string; name: string; expiresAt: Date | null },
): Promise<{ token: ApiToken; secret: string }> {
  const { userId, sessionId, name, expiresAt } = request
  if (expiresAt && expiresAt.getTime() <= Date.now()) {
    throw validationError([{ path: 'expires_at', message: 'must be in the future' }])
  }
  const secret = newToken()
  const id = await insertApiToken(app.db.writes.for(userId), {
    userId,
    sessionId,
    name,
    hash: hashToken(secret),
    expiresAt,
  })
  if (id === null) throw tokenInvalid('The session has ended; sign in again.')
  const token = await findApiToken(app.db.writes.for(userId), userId, id)
  if (!token) throw new Error(`the token ${id} is not there after it was stored`)
  return { token, secret }
}
