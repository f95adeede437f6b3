import type { App } from '../../app.ts'
import { tokenNotFound } from '../../core/record-errors.ts'
import type { ApiToken } from '../../core/records.ts'
import { ServiceError, validationError } from '../../kernel/errors.ts'
import { OperatorError } from '../../kernel/operator-error.ts'
import type { Context } from '../../platform/database/context.ts'
import { newestFirst } from '../../platform/database/lists/list-page.ts'
import type { PooledConnection } from '../../platform/database/pool/pooled-connection.ts'
import {
  MAX_ACTIVE_TOKENS_PER_ACCOUNT,
  MAX_ENDED_TOKENS_PER_ACCOUNT,
  TOKEN_CACHE_TRUST_MS,
} from '../limits.ts'
import { waitUntilAcknowledged } from '../revocation-store.ts'
import { findUserByEmail } from '../user-store.ts'
import { hashToken, newToken } from './api-token.ts'
import {
  findApiToken,
  forgetEndedTokens,
  insertApiToken,
  listApiTokens,
  listApiTokensOf,
  revokeApiToken,
} from './api-token-store.ts'
import { tokenInvalid } from './authenticate-token.ts'

/**
 * Creates a token for the account with this email. The secret is returned once and stored nowhere.
 * @param show receives the secret before the commit. If it fails, no token is stored.
 */
export async function createToken(
  app: App,
  request: { email: string; name: string; expiresAt: Date | null },
  show: (token: string) => Promise<void> = async () => {},
): Promise<string> {
  const user = await findUserByEmail(app.db, request.email)
  if (!user) throw new OperatorError(`No account has the email ${request.email}. See: claimkeeper user list`)
  const token = newToken()
  await app.db.transaction(async (connection) => {
    await insertApiToken(connection, {
      userId: user.id,
      name: request.name,
      hash: hashToken(token),
      expiresAt: request.expiresAt,
      sessionId: null,
      maxActive: null,
    })
    await show(token)
  })
  return token
}

interface TokenWithState extends ApiToken {
  state: 'active' | 'expired' | 'revoked'
}

/** Every token of every account, oldest first. */
export async function listTokens(app: App): Promise<TokenWithState[]> {
  const now = new Date()
  const tokens = await listApiTokens(app.db)
  return tokens.map((token) => ({ ...token, state: stateOf(token, now) }))
}

function stateOf({ revokedAt, expiresAt }: ApiToken, now: Date): TokenWithState['state'] {
  if (revokedAt !== null) return 'revoked'
  return expiresAt !== null && expiresAt <= now ? 'expired' : 'active'
}

/** Revokes the token on every server. Revoking twice changes nothing. */
export async function revokeToken(app: App, id: string): Promise<void> {
  if (!(await revokeOnAllServers(app.db.identity, id))) throw new OperatorError(`No token has the ID ${id}.`)
}

/**
 * Revokes a token. When this resolves, no server accepts the token. Returns false if there is no such token.
 * @param db with the caller's quota of connections: the wait polls the database
 */
async function revokeOnAllServers(db: PooledConnection, id: string): Promise<boolean> {
  const number = await revokeApiToken(db, id)
  if (number === null) return false
  await waitUntilAcknowledged(db, number, TOKEN_CACHE_TRUST_MS)
  return true
}

/**
 * Creates a token for the account of the session. The secret is returned once and stored nowhere.
 * @throws VALIDATION_ERROR, TOKEN_LIMIT_REACHED, TOKEN_INVALID if the session has just ended
 */
export async function createOwnToken(
  { userId, write: db }: Context,
  request: { sessionId: string; name: string; expiresAt: Date | null },
): Promise<{ token: ApiToken; secret: string }> {
  const { sessionId, name, expiresAt } = request
  if (expiresAt && expiresAt.getTime() <= Date.now()) {
    throw validationError([{ path: 'expires_at', message: 'must be in the future' }])
  }
  const secret = newToken()
  await forgetEndedTokens(db, userId, MAX_ENDED_TOKENS_PER_ACCOUNT)
  // In one transaction: if the read fails, the token is not stored, because its secret was not returned.
  const token = await db.transaction(async (connection) => {
    const hash = hashToken(secret)
    const inserted = await insertApiToken(connection, {
      userId,
      sessionId,
      name,
      hash,
      expiresAt,
      maxActive: MAX_ACTIVE_TOKENS_PER_ACCOUNT,
    })
    if (inserted === 'session ended') throw tokenInvalid('The session has ended; sign in again.')
    if (inserted === 'too many') throw tooManyTokens()
    const stored = await findApiToken(connection, userId, inserted.id)
    if (!stored) throw new Error(`the token ${inserted.id} is missing after its insert`)
    return stored
  })
  return { token, secret }
}

const tooManyTokens = () =>
  new ServiceError(
    'TOKEN_LIMIT_REACHED',
    `The account has ${MAX_ACTIVE_TOKENS_PER_ACCOUNT} active tokens, the maximum. Revoke one first.`,
  )

/** The account's tokens, newest first. */
export const listOwnTokens = (app: App, userId: string): AsyncGenerator<ApiToken[]> =>
  newestFirst((after, limit) => listApiTokensOf(app.db.reads.for(userId), userId, after, limit))

/** Revokes a token of the account on every server. Revoking twice changes nothing. @throws TOKEN_NOT_FOUND */
export async function revokeOwnToken(app: App, userId: string, id: string): Promise<void> {
  if (!(await findApiToken(app.db.reads.for(userId), userId, id))) throw tokenNotFound(id)
  await revokeOnAllServers(app.db.callers.for(userId), id)
}
