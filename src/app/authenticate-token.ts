import { ServiceError } from '../errors.ts'
import { hashToken, isToken } from './api-token.ts'
import type { App } from './app.ts'

const BEARER = /^Bearer +(\S+) *$/i

/** The account of the request's bearer token (§5). @throws TOKEN_INVALID */
export async function authenticateToken(app: App, authorization: string | undefined): Promise<string> {
  if (authorization === undefined) throw tokenInvalid('The header Authorization is missing.')
  const token = BEARER.exec(authorization)?.[1]
  if (!token) throw tokenInvalid('The header Authorization must have the form "Bearer <API_TOKEN>".')
  const owner = isToken(token) ? await app.tokenOwners.find(hashToken(token)) : null
  if (!owner) throw tokenInvalid('The API token is unknown, expired or revoked.')
  return owner
}

export function tokenInvalid(message: string): ServiceError {
  return new ServiceError('TOKEN_INVALID', message, { headers: { 'WWW-Authenticate': 'Bearer' } })
}
