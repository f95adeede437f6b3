import type { FastifyRequest, onRequestHookHandler } from 'fastify'
import type { App } from '../../app.ts'
import { ServiceError } from '../../kernel/errors.ts'
import type { SessionApi } from '../sessions/session-api.ts'
import { type Authenticated, authenticateToken, tokenIn, tokenInvalid } from '../tokens/authenticate-token.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The account of the API token or of the session; on every route under /v1. */
    userId: string
    /** The session, if the request came with its cookie; null if it came with a token. */
    sessionId: string | null
    /** The secret of the request: its token, or the session's cookie. */
    credential: string
  }
}

/**
 * The hook of every route under /v1 (§5 rule 1). It runs before the body is read. A token in the header takes precedence over
 * a session's cookie.
 */
export function authenticate(app: App, sessions: SessionApi): onRequestHookHandler {
  const accept = (request: FastifyRequest, owner: Authenticated) => {
    request.userId = owner.userId
    request.credential = tokenIn(request.headers.authorization)
    app.tokenUse.note(owner)
  }
  // Synchronous if the token is cached, which is nearly always.
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

/** For requests that last: checks that the token or session is still valid. @throws TOKEN_INVALID */
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

/** The API token of the request; null if the request has a session. */
export const tokenOf = ({ sessionId, credential }: FastifyRequest): string | null =>
  sessionId === null ? credential : null

/** The hook of routes that grant or revoke access: a token must not create tokens. @throws SESSION_REQUIRED */
export async function requireSession({ sessionId }: FastifyRequest): Promise<void> {
  if (sessionId === null) throw new ServiceError('SESSION_REQUIRED')
}

/** The value of a cookie in the Cookie header; null if the cookie is missing. */
export function readCookie(header: string | undefined, name: string): string | null {
  for (const part of header?.split(';') ?? []) {
    const at = part.indexOf('=')
    if (at > 0 && part.slice(0, at).trim() === name) return part.slice(at + 1).trim()
  }
  return null
}

const SAFE_METHODS = ['GET', 'HEAD', 'OPTIONS']

/**
 * Protects requests with a cookie against cross-site request forgery: a request that changes something must come from a page of
 * the service. Browsers state the origin in Sec-Fetch-Site (over https and to localhost) or in Origin.
 * @throws CROSS_ORIGIN_REQUEST
 */
export function requireSameOrigin(request: FastifyRequest): void {
  if (SAFE_METHODS.includes(request.method)) return
  const { origin, 'sec-fetch-site': site } = request.headers
  const isOwn =
    site === undefined ? origin !== undefined && isOwnOrigin(origin, request) : site === 'same-origin'
  if (!isOwn) {
    const header = site === undefined ? `Origin is ${origin ?? 'missing'}` : `Sec-Fetch-Site is ${site}`
    throw new ServiceError(
      'CROSS_ORIGIN_REQUEST',
      `The request must come from a page of the service; its header ${header}.`.slice(0, 300),
    )
  }
}

/** Whether a browser sent the request: other clients send none of these headers. */
export const isFromBrowser = ({ headers }: FastifyRequest): boolean =>
  headers.cookie !== undefined || headers.origin !== undefined || headers['sec-fetch-site'] !== undefined

/**
 * Whether the origin is the configured public URL or has the host of the Host header. The scheme is not compared, because the
 * service does not know it behind a proxy. A forwarded host is ignored, even from a trusted proxy.
 */
function isOwnOrigin(origin: string, { headers, server }: FastifyRequest): boolean {
  if (!URL.canParse(origin)) return false
  const { origin: normal, host, protocol } = new URL(origin)
  const { configuredPublicUrl } = server
  if (configuredPublicUrl && normal === new URL(configuredPublicUrl).origin) return true
  const own = `${protocol}//${headers.host}`
  return host !== '' && URL.canParse(own) && new URL(own).host === host
}
