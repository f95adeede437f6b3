import type { FastifyRequest, onRequestHookHandler } from 'fastify'
import type { App } from '../../app.ts'
import { ServiceError } from '../../kernel/errors.ts'
import type { SessionApi } from '../sessions/session-api.ts'
import { type Authenticated, authenticateToken, tokenIn, tokenInvalid } from '../tokens/authenticate-token.ts'
import { readCookie } from './read-cookie.ts'
import { requireSameOrigin } from './same-origin.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The account of the API token or of the session; on every route under /v1. */
    userId: string
    /** The session, if the request came with its cookie; null if it came with a token. */
    sessionId: string | null
    /** What the caller showed, which nobody else has: the token, or the session's cookie. */
    credential: string
  }
}

/**
 * The hook of every route under /v1 (§5 rule 1); it runs before the body is read. A token in the header counts
 * before a session's cookie.
 */
export function authenticate(app: App, sessions: SessionApi): onRequestHookHandler {
  const accept = (request: FastifyRequest, owner: Authenticated) => {
    request.userId = owner.userId
    request.credential = tokenIn(request.headers.authorization)
    app.tokenUse.note(owner)
  }
  // Nothing is waited for if a token is remembered, which is nearly always.
  return (request, _reply, done) => {
    const { authorization, cookie } = request.headers
    const session = authorization === undefined ? readCookie(cookie, sessions.cookieName) : null
    if (session !== null) return enterSession(request, sessions, session)
    const found = authenticateToken(app, authorization, request)
    if ('then' in found) return found.then((owner) => accept(request, owner))
    accept(request, found)
    done()
  }
}

/** Of a request that lasts: whether its token or session still counts. @throws TOKEN_INVALID */
export async function authenticateAgain(
  app: App,
  sessions: SessionApi,
  request: FastifyRequest,
): Promise<void> {
  const { authorization, cookie } = request.headers
  if (request.sessionId === null) await authenticateToken(app, authorization, request)
  else await enterSession(request, sessions, readCookie(cookie, sessions.cookieName) ?? '')
}

async function enterSession(request: FastifyRequest, sessions: SessionApi, cookie: string): Promise<void> {
  requireSameOrigin(request)
  const session = await sessions.find(cookie)
  if (!session) throw tokenInvalid('The session has ended; sign in again.')
  request.userId = session.userId
  request.sessionId = session.id
  request.credential = cookie
}

/** The API token with which the request came; null if it came with the cookie of a session. */
export const tokenOf = ({ sessionId, credential }: FastifyRequest): string | null =>
  sessionId === null ? credential : null

/** The hook of routes that hand out or end access: who holds a token must not make another. @throws SESSION_REQUIRED */
export async function requireSession({ sessionId }: FastifyRequest): Promise<void> {
  if (sessionId === null) throw new ServiceError('SESSION_REQUIRED')
}
