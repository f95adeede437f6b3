import { LRUCache } from 'lru-cache'
import type { App } from '../../app.ts'
import { ServiceError } from '../../kernel/errors.ts'
import { clientAddress } from '../../platform/http/connections/forwarded-headers.ts'
import { hashToken, isToken } from './api-token.ts'

const BEARER = /^Bearer +(\S+) *$/i

/** The token of a header, as it was sent; empty if there is none. */
export const tokenIn = (authorization = ''): string => BEARER.exec(authorization)?.[1] ?? ''

/** The account of a token, and the token's hash. */
export interface Authenticated {
  userId: string
  tokenHash: Buffer
}

/** Where the request comes from. */
interface Caller {
  ip: string
}

/**
 * By the header, of tokens that were right before: to hash one takes longer than all else here. In characters, since a
 * header may be long: about a thousand as they usually are.
 */
const hashes = new LRUCache<string, Buffer>({
  maxSize: 64 * 1024,
  sizeCalculation: (_hash, authorization) => authorization.length,
})

/**
 * The account of the request's bearer token (§5), at once if it is remembered.
 * @throws TOKEN_INVALID
 */
export function authenticateToken(
  app: App,
  authorization: string | undefined,
  caller: Caller,
): Authenticated | Promise<Authenticated> {
  const tokenHash = hashes.get(authorization ?? '') ?? hashOf(authorization)
  const userId = app.tokenOwners.remembered(tokenHash)
  if (userId !== null) return { userId, tokenHash }
  return askForOwner(app, authorization as string, tokenHash, caller)
}

async function askForOwner(
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
