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

/** The caller's, if it is one of a safe form. @param given the header as it came */
export const requestIdOf = (given: string | string[] | undefined): string =>
  typeof given === 'string' && SAFE_ID.test(given) ? given : newRequestId()

/** The one body of every error (§7). */
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

/** No other site learns from which address someone came; the service's own pages go on naming their origin. */
export const REFERRER_POLICY = 'same-origin'

/** The headers of every answer. */
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

/** What was to be done for a caller is not: nobody is there any more. */
export class CallerGone extends ServiceError {
  constructor() {
    super('UNAVAILABLE', 'The caller has gone.')
  }
}

export const bodyTooLarge = (bodyLimit: number) =>
  new ServiceError('PAYLOAD_TOO_LARGE', `The body is larger than ${bytesInWords(bodyLimit)}.`)

const bytesInWords = (bytes: number): string =>
  bytes < 1024 * 1024 ? `${bytes / 1024} KiB` : `${bytes / 1024 / 1024} MiB`

/** Codes of a response to a closed connection, and of a body that was cut off. */
const CLOSED_CONNECTION_CODES = ['ERR_STREAM_PREMATURE_CLOSE', 'ECONNRESET']

/** An answer that was to be sent to a closed connection, or was cut off by it, ends so. */
const isClosedConnection = (error: unknown): boolean =>
  error instanceof CallerGone || CLOSED_CONNECTION_CODES.includes((error as Partial<FastifyError>).code ?? '')

/** Answers any error that a request ended in. */
export function sendError(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  // It is nobody's fault, and there is nobody to be told.
  if (reply.raw.destroyed && isClosedConnection(error)) return reply.send('')
  const { status, headers, body } = toAnswer(error, request)
  if (request.logContext) request.logContext.code = body.error.code
  return reply
    .code(status)
    .headers({ ...commonHeaders(request), ...headers })
    .send(body)
}

/** Requests of whose items one was refused as unavailable, and errors that many were refused with: once is enough. */
const toldUnavailable = new WeakSet<object>()

/** How an error is answered; what is our fault goes into the log with its cause, of a batch's items the first. */
export function toAnswer(error: unknown, request: FastifyRequest) {
  const serviceError = toServiceError(error, request)
  const { status } = ERRORS[serviceError.code]
  const isUnavailable = serviceError.code === 'UNAVAILABLE'
  const isTold = toldUnavailable.has(request) || toldUnavailable.has(serviceError)
  if (status >= 500 && !(isUnavailable && isTold)) {
    request.log[isUnavailable ? 'warn' : 'error'](
      { err: serviceError.cause ?? error, ...whatWasAsked(request) },
      serviceError.message,
    )
    if (isUnavailable) toldUnavailable.add(request).add(serviceError)
  }
  const { headers } = serviceError
  return { status, headers, body: errorBody(serviceError, request.id, publicUrl(request)) }
}

/** For the log. The path's pattern only: what stands in a path or in a query may be a secret, or put there by mistake. */
function whatWasAsked({ method, routeOptions, userId }: FastifyRequest) {
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

/** For a body of a media type that the route does not accept. */
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
