import type { FastifyReply, FastifyRequest } from 'fastify'
import { ServiceError, validationError } from '../../kernel/errors.ts'
import { CLIENT_ADDRESS_HEADER, publicUrl } from '../../platform/http/connections/forwarded-headers.ts'
import { hashSessionToken } from '../sessions/hashed-sessions.ts'

/* Between Fastify's requests and the web's, which better-auth answers. */

/** Headers that better-auth reads. Others could mislead it, such as those of a proxy that is not trusted. */
const HEADERS = ['cookie', 'user-agent'] as const
/** Where the request names no usable host. */
const SOME_URL = 'http://localhost'

export function toWebRequest(request: FastifyRequest, body: unknown): Request {
  const headers = new Headers({ [CLIENT_ADDRESS_HEADER]: request.ip })
  for (const name of HEADERS) {
    const value = request.headers[name]
    if (typeof value === 'string') headers.set(name, value)
  }
  const url = new URL(request.url.split('?', 1)[0] as string, publicUrl(request) || SOME_URL)
  if (request.method === 'GET') return new Request(url, { headers })
  headers.set('content-type', 'application/json')
  // requireSameOrigin has judged where the request comes from. It knows more of the service's own addresses than
  // better-auth, whose check of the same would refuse some of its pages.
  headers.set('origin', url.origin)
  return new Request(url, { method: request.method, headers, body: JSON.stringify(body ?? {}) })
}

/** Sends better-auth's answer, and its errors in the one body that every error has. */
export async function sendAnswer(reply: FastifyReply, response: Response): Promise<FastifyReply> {
  const text = await response.text()
  if (response.status >= 400) throw toServiceError(response, text)
  return reply
    .code(response.status)
    .header('Set-Cookie', response.headers.getSetCookie())
    .send(withoutToken(JSON.parse(text)))
}

/** The session's token is in its cookie, out of reach of scripts. A session is named as in the list, by the hash. */
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
  const [path, said] = FIELD_ERRORS[code] ?? ['body', message || 'is not valid']
  return validationError([{ path, message: said }])
}

export const notSignedIn = (): ServiceError =>
  new ServiceError('TOKEN_INVALID', 'Nobody is signed in, or not any more.')

/** Which field better-auth means. */
const FIELD_ERRORS: Record<string, [path: string, message: string]> = {
  INVALID_EMAIL: ['email', 'must be an email address'],
  INVALID_PASSWORD: ['currentPassword', 'is not the password of the account'],
  CREDENTIAL_ACCOUNT_NOT_FOUND: ['currentPassword', 'is not there: the account has no password yet'],
}

function parse(text: string): { code?: string; message?: string } {
  try {
    return JSON.parse(text) ?? {}
  } catch {
    return {}
  }
}
