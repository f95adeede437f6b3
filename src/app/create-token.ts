import { StartupError } from '../startup-error.ts'
import { insertApiToken } from '../storage/api-tokens.ts'
import { findUserByEmail } from '../storage/users.ts'
import { hashToken, newToken } from './api-token.ts'
import type { App } from './app.ts'

/** Makes a token for the account with this email. The secret is returned once and stored nowhere. */
export async function createToken(
  app: App,
  request: { email: string; name: string; expiresAt: Date | null },
): Promise<string> {
  const user = await findUserByEmail(app.db, request.email)
  if (!user) throw new StartupError(`No account has the email ${request.email}. See: claimkeeper user list`)
  const token = newToken()
  await insertApiToken(app.db, {
    userId: user.id,
    name: request.name,
    hash: hashToken(token),
    expiresAt: request.expiresAt,
    sessionId: null,
    most: null,
  })
  return token
}
