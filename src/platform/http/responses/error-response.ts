import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { v4 as uuidv4 } from 'uuid'
import { ERRORS } from '../../../kernel/error-catalogue.ts'
import { ServiceError, validationError } from '../../../kernel/errors.ts'
import { publicUrl } from '../connections/forwarded-headers.ts'
import { NDJSON, NDJSON_TYPES } from './responses.ts'

export const REQUEST_ID_HEADER = 'X-Request-Id'

export const newRequestId = (): string => `req_${uuidv4()}`

/** Responses, the log and traces contain the id unchanged, so it must not look like a token or secret of the service. */
const SAFE_ID = /^(?!ck_|whsec_)[A-Za-z0-9_-]{8,64}$/

/** The caller's id if it is safe, otherwise a new id. @param given the header as received */
export const requestIdOf = (given: string | string[] | undefined): string =>
  typeof given === 'string' && SAFE_ID.test(given) ? given : newRequestId()

/** The body of every error (§7). */
export function errorBody(error: ServiceError, requestId: string, baseUrl: string) {
  const { status, type } = ERRORS[error.code]
  return {
    error: {
      type,
      code: error.code,
      message: error.message,
      status,
      doc_url: `${baseUrl}/docs/errors/${error.code}`,
      request_id: requestId,
      ...(error.details ? { details: error.details } : {}),
    },
  }
}

/** Other sites do not learn the page that the user came from. The service's own pages still send their origin. */
export const REFERRER_POLICY = 'same-origin'

/** The headers of every response. */
export const commonHeaders = (request: FastifyRequest) => ({
  [REQUEST_ID_HEADER]: request.id,
  'Cache-Control': 'no-store',
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': REFERRER_POLICY,
  ...strictTransport(request.server.configuredPublicUrl),
})

/** A year. Subdomains may be other services, so they are not included. */
const STRICT_TRANSPORT = { 'Strict-Transport-Security': 'max-age=31536000' }

/** RFC 6797: browsers use only https from then on. Only PUBLIC_URL shows that the service is reached by https. */
export const strictTransport = (publicUrl: string): Record<string, string> =>
  publicUrl.startsWith('https:') ? STRICT_TRANSPORT : {}

/** The caller disconnected, so the work was not done. */
export class CallerDisconnected extends ServiceError {
  constructor() {
    super('UNAVAILABLE', 'The caller disconnected.')
  }
}

export const bodyTooLarge = (bodyLimit: number) =>
  new ServiceError('PAYLOAD_TOO_LARGE', `The body is larger than ${formatBytes(bodyLimit)}.`)

const formatBytes = (bytes: number): string =>
  bytes < 1024 * 1024 ? `${bytes / 1024} KiB` : `${bytes / 1024 / 1024} MiB`

/** Codes of a response to a closed connection, and of a body that was cut off. */
const CLOSED_CONNECTION_CODES = ['ERR_STREAM_PREMATURE_CLOSE', 'ECONNRESET']

/** A response that a closed connection interrupted ends with one of these errors. */
const isClosedConnection = (error: unknown): boolean =>
  error instanceof CallerDisconnected ||
  CLOSED_CONNECTION_CODES.includes((error as Partial<FastifyError>).code ?? '')

/** Sends the response to any error. */
export function sendError(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  // The client disconnected: there is nobody to respond to, and nothing to log.
  if (reply.raw.destroyed && isClosedConnection(error)) return reply.send('')
  const { status, headers, body } = toErrorResponse(error, request)
  if (request.logContext) request.logContext.code = body.error.code
  return reply
    .code(status)
    .headers({ ...commonHeaders(request), ...headers })
    .send(body)
}

/** Requests and errors whose UNAVAILABLE is logged. A batch logs it once, and so do many requests that share one error. */
const loggedUnavailable = new WeakSet<object>()

/** The response to an error. Logs an error of the service with its cause, but only the first error of a request. */
export function toErrorResponse(error: unknown, request: FastifyRequest) {
  const serviceError = toServiceError(error, request)
  const { status } = ERRORS[serviceError.code]
  const isUnavailable = serviceError.code === 'UNAVAILABLE'
  const isLogged = loggedUnavailable.has(request) || loggedUnavailable.has(serviceError)
  if (status >= 500 && !(isUnavailable && isLogged)) {
    request.log[isUnavailable ? 'warn' : 'error'](
      { err: serviceError.cause ?? error, ...requestFields(request) },
      serviceError.message,
    )
    if (isUnavailable) loggedUnavailable.add(request).add(serviceError)
  }
  const { headers } = serviceError
  return { status, headers, body: errorBody(serviceError, request.id, publicUrl(request)) }
}

/** For the log. Only the path's pattern: a path or a query may contain a secret. */
function requestFields({ method, routeOptions, userId }: FastifyRequest) {
  return { method, route: routeOptions.url ?? null, ...(userId ? { userId } : {}) }
}

const SAFE_METHODS = ['GET', 'HEAD']
/** The response may have failed after the commit. */
const OUTCOME_UNKNOWN = 'The service failed; whether the request took effect is not known.'

function toServiceError(error: unknown, request: FastifyRequest): ServiceError {
  if (error instanceof ServiceError) return error
  const { code, statusCode, message } = error as Partial<FastifyError>
  switch (code) {
    case 'FST_ERR_BAD_URL':
      return validationError([
        { path: 'path', message: 'is not valid percent-encoded UTF-8, or is too long' },
      ])
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return bodyTooLarge(request.routeOptions.bodyLimit)
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return unsupportedMediaType(unsupportedTypeMessage(request))
  }
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500) {
    return new ServiceError('VALIDATION_ERROR', message, { cause: error })
  }
  return new ServiceError(
    'INTERNAL_ERROR',
    SAFE_METHODS.includes(request.method) ? undefined : OUTCOME_UNKNOWN,
    {
      cause: error,
    },
  )
}

/** The message for a body of a media type that the route does not accept. */
function unsupportedTypeMessage({ headers, server }: FastifyRequest): string {
  const type = headers['content-type']
  const sent =
    type === undefined
      ? 'The body has no Content-Type'
      : `The Content-Type ${JSON.stringify(type.slice(0, 100))} is not supported`
  const lines = server.hasContentTypeParser(NDJSON)
    ? `, or for one JSON value per line ${NDJSON_TYPES.join(', ')}`
    : ''
  return `${sent}. The body must be JSON; send the header Content-Type: application/json${lines}.`
}

function unsupportedMediaType(message: string): ServiceError {
  return new ServiceError('UNSUPPORTED_MEDIA_TYPE', message)
}

/** @throws UNSUPPORTED_MEDIA_TYPE for a compressed body */
export function refuseEncoding({ headers }: FastifyRequest): void {
  const encoding = `${headers['content-encoding'] ?? 'identity'}`.toLowerCase()
  if (encoding !== 'identity') {
    const sent = encoding.slice(0, 100)
    throw unsupportedMediaType(
      `The body must not be compressed; it has the header Content-Encoding: ${sent}.`,
    )
  }
}
