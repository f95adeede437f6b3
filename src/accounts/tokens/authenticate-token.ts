import { LRUCache } from 'lru-cache'
import type { App } from '../../app.ts'
import { ServiceError } from '../../kernel/errors.ts'
import { clientAddress } from '../../platform/http/connections/forwarded-headers.ts'
import { MAX_CACHED_HEADERS_LENGTH } from '../limits.ts'
import { hashToken, isToken } from './api-token.ts'

const BEARER = /^Bearer +(\S+) *$/i

/** The token of an Authorization header; empty if there is none. */
export const tokenIn = (authorization = ''): string => BEARER.exec(authorization)?.[1] ?? ''

/** The account of a token, and the token's hash. */
export interface Authenticated {
  userId: string
  tokenHash: Buffer
}

interface Caller {
  ip: string
}

/** Hashes of valid tokens by their header. Hashing takes longer than the rest of the authentication. */
const hashes = new LRUCache<string, Buffer>({
  maxSize: MAX_CACHED_HEADERS_LENGTH,
  sizeCalculation: (_hash, authorization) => authorization.length,
})

/**
 * The account of the request's bearer token (§5). Synchronous if the token is cached.
 * @throws TOKEN_INVALID
 */
export function authenticateToken(
  app: App,
  authorization: string | undefined,
  caller: Caller,
): Authenticated | Promise<Authenticated> {
  const tokenHash = hashes.get(authorization ?? '') ?? hashOf(authorization)
  const userId = app.tokenOwners.cached(tokenHash)
  if (userId !== null) return { userId, tokenHash }
  return findOwner(app, authorization as string, tokenHash, caller)
}

async function findOwner(
  app: App,
  authorization: string,
  tokenHash: Buffer,
  caller: Caller,
): Promise<Authenticated> {
  const userId = await app.tokenOwners.find(tokenHash, clientAddress(caller))
  if (!userId) throw unknownToken()
  hashes.set(authorization, tokenHash)
  return { userId, tokenHash }
}

function hashOf(authorization: string | undefined): Buffer {
  if (authorization === undefined) throw tokenInvalid('The header Authorization is missing.')
  const token = BEARER.exec(authorization)?.[1]
  if (!token) throw tokenInvalid('The header Authorization must have the form "Bearer <API_TOKEN>".')
  if (!isToken(token)) throw unknownToken()
  return hashToken(token)
}

const unknownToken = () => tokenInvalid('The API token is unknown, expired or revoked.')

export function tokenInvalid(message: string): ServiceError {
  return new ServiceError('TOKEN_INVALID', message, { headers: { 'WWW-Authenticate': 'Bearer' } })
}
