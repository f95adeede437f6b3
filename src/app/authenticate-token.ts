import { ServiceError } from '../errors.ts'
import { hashToken, isToken } from './api-token.ts'
import type { App } from './app.ts'

const BEARER = /^Bearer +(\S+) *$/i

/** The account of the request's bearer token (§5), and the token's hash. @throws TOKEN_INVALID */
export async function authenticateToken(
  app: App,
  authorization: string | undefined,
): Promise<{ userId: string; tokenHash: Buffer }> {
  if (authorization === undefined) throw tokenInvalid('The header Authorization is missing.')
  const token = BEARER.exec(authorization)?.[1]
  if (!token) throw tokenInvalid('The header Authorization must have the form "Bearer <API_TOKEN>".')
  const tokenHash = isToken(token) ? hashToken(token) : null
  const userId = tokenHash ? await app.tokenOwners.find(tokenHash) : null
  if (!tokenHash || !userId) throw tokenInvalid('The API token is unknown, expired or revoked.')
  return { userId, tokenHash }
}

export function tokenInvalid(message: string): ServiceError {
  return new ServiceError('TOKEN_INVALID', message, { headers: { 'WWW-Authenticate': 'Bearer' } })
}
