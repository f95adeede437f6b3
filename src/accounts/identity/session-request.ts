import type { FastifyReply, FastifyRequest } from 'fastify'
import { ServiceError, validationError } from '../../kernel/errors.ts'
import { CLIENT_ADDRESS_HEADER, publicUrl } from '../../platform/http/connections/forwarded-headers.ts'
import { hashSessionToken } from '../sessions/hashed-sessions.ts'

/* Converts Fastify's requests to web requests, which better-auth takes, and its responses back. */

/** The headers that better-auth reads. Others are dropped: an untrusted proxy could have set them. */
const HEADERS = ['cookie', 'user-agent'] as const
/** For requests without a usable host. */
const FALLBACK_URL = 'http://localhost'

export function toWebRequest(request: FastifyRequest, body: unknown): Request {
  const headers = new Headers({ [CLIENT_ADDRESS_HEADER]: request.ip })
  for (const name of HEADERS) {
    const value = request.headers[name]
    if (typeof value === 'string') headers.set(name, value)
  }
  const url = new URL(request.url.split('?', 1)[0] as string, publicUrl(request) || FALLBACK_URL)
  if (request.method === 'GET') return new Request(url, { headers })
  headers.set('content-type', 'application/json')
  // requireSameOrigin has checked the origin. better-auth does not know all addresses of the service: its own check would
  // reject some pages of the service.
  headers.set('origin', url.origin)
  return new Request(url, { method: request.method, headers, body: JSON.stringify(body ?? {}) })
}

/** Sends better-auth's response. Errors get the error body of this service. */
export async function sendAnswer(reply: FastifyReply, response: Response): Promise<FastifyReply> {
  const text = await response.text()
  if (response.status >= 400) throw toServiceError(response, text)
  return reply
    .code(response.status)
    .header('Set-Cookie', response.headers.getSetCookie())
    .send(withoutToken(JSON.parse(text)))
}

/** Removes the session's token, which only the cookie may hold: scripts cannot read the cookie. Sessions are named by the hash. */
function withoutToken(body: unknown): unknown {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return body
  const { token: _, session, ...rest } = body as { token?: unknown; session?: { token: string } }
  return session ? { ...rest, session: { ...session, token: hashSessionToken(session.token) } } : rest
}

function toServiceError(response: Response, text: string): ServiceError {
  const { code = '', message = '' } = parse(text)
  if (response.status === 403) return new ServiceError('CROSS_ORIGIN_REQUEST')
  if (code === 'INVALID_EMAIL_OR_PASSWORD') return new ServiceError('SIGN_IN_FAILED')
  if (response.status === 401) return notSignedIn()
  const [path, reason] = FIELD_ERRORS[code] ?? ['body', message || 'is not valid']
  return validationError([{ path, message: reason }])
}

export const notSignedIn = (): ServiceError =>
  new ServiceError('TOKEN_INVALID', 'The request has no session, or the session has ended. Sign in again.')

/** The field and message for better-auth's error codes. */
const FIELD_ERRORS: Record<string, [path: string, message: string]> = {
  INVALID_EMAIL: ['email', 'must be an email address'],
  INVALID_PASSWORD: ['currentPassword', 'is not the password of the account'],
  CREDENTIAL_ACCOUNT_NOT_FOUND: ['currentPassword', 'is not set: the account has no password yet'],
}

function parse(text: string): { code?: string; message?: string } {
  try {
    return JSON.parse(text) ?? {}
  } catch {
    return {}
  }
}
