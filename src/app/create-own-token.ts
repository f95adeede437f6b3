import { validationError } from '../errors.ts'
import { type ApiToken, findApiToken, insertApiToken } from '../storage/api-tokens.ts'
import { hashToken, newToken } from './api-token.ts'
import type { App } from './app.ts'

/** Makes a token for the account that asks. The secret is returned once and stored nowhere. */
export async function createOwnToken(
  app: App,
  request: { userId: string; name: string; expiresAt: Date | null },
): Promise<{ token: ApiToken; secret: string }> {
  const { userId, name, expiresAt } = request
  if (expiresAt && expiresAt.getTime() <= Date.now()) {
    throw validationError([{ path: 'expires_at', message: 'must be in the future' }])
  }
  const secret = newToken()
  const id = await insertApiToken(app.db, { userId, name, hash: hashToken(secret), expiresAt })
  const token = await findApiToken(app.db, userId, id)
  if (!token) throw new Error(`the token ${id} is not there after it was stored`)
  return { token, secret }
}
