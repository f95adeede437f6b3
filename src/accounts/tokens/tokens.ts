import type { App } from '../../app.ts'
import { tokenNotFound } from '../../core/record-errors.ts'
import type { ApiToken } from '../../core/records.ts'
import { ServiceError, validationError } from '../../kernel/errors.ts'
import { OperatorError } from '../../kernel/operator-error.ts'
import type { Context } from '../../platform/database/context.ts'
import { newestFirst } from '../../platform/database/lists/list-page.ts'
import type { PooledConnection } from '../../platform/database/pool/pooled-connection.ts'
import { waitUntilHeard } from '../revocation-store.ts'
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
import { LONGEST_TRUST_MS } from './token-owners.ts'

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
      most: null,
    })
    await show(token)
  })
  return token
}

export interface TokenWithState extends ApiToken {
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

/** Ends the token, on every server. Revoking twice changes nothing. */
export async function revokeToken(app: App, id: string): Promise<void> {
  if (!(await endToken(app.db.identity, id))) throw new OperatorError(`No token has the ID ${id}.`)
}

/**
 * Ends a token; when this resolves no server takes it any more. False if there is none with this id.
 * @param db in whose name it is done: many servers may have to be waited for
 */
async function endToken(db: PooledConnection, id: string): Promise<boolean> {
  const number = await revokeApiToken(db, id)
  if (number === null) return false
  await waitUntilHeard(db, number, LONGEST_TRUST_MS)
  return true
}

/** Of an account: that are in force, and that have ended and are still listed. */
const MOST_TOKENS = 1_000
const ENDED_TOKENS_KEPT = 1_000

/**
 * Creates a token for the account of the session. The secret is returned once and stored nowhere.
 * @throws VALIDATION_ERROR, TOKEN_LIMIT_REACHED, TOKEN_INVALID if the session has just been ended
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
  // Its list has no pages, and what is counted is read: neither grows without end.
  await forgetEndedTokens(db, userId, ENDED_TOKENS_KEPT)
  // In one transaction: if the read fails, no token is stored whose secret was never returned.
  const token = await db.transaction(async (connection) => {
    const hash = hashToken(secret)
    const made = await insertApiToken(connection, {
      userId,
      sessionId,
      name,
      hash,
      expiresAt,
      most: MOST_TOKENS,
    })
    if (made === 'session ended') throw tokenInvalid('The session has ended; sign in again.')
    if (made === 'too many') throw tooManyTokens()
    const stored = await findApiToken(connection, userId, made.id)
    if (!stored) throw new Error(`the token ${made.id} is missing after its insert`)
    return stored
  })
  return { token, secret }
}

const tooManyTokens = () =>
  new ServiceError(
    'TOKEN_LIMIT_REACHED',
    `The account has ${MOST_TOKENS} tokens in force, as many as it may.`,
  )

/** The account's tokens, newest first; of those that expired or were revoked the newest. */
export const listOwnTokens = (app: App, userId: string): AsyncGenerator<ApiToken[]> =>
  newestFirst((after, limit) => listApiTokensOf(app.db.reads.for(userId), userId, after, limit))

/** Ends a token of the account at once, on every server; twice changes nothing. @throws TOKEN_NOT_FOUND */
export async function revokeOwnToken(app: App, userId: string, id: string): Promise<void> {
  if (!(await findApiToken(app.db.reads.for(userId), userId, id))) throw tokenNotFound(id)
  await endToken(app.db.callers.for(userId), id)
}
