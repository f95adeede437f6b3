import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { v4 as uuidv4 } from 'uuid'
import { ERRORS, type ErrorCode, ServiceError, validationError } from '../errors.ts'
import { publicUrl } from './public-url.ts'

const REQUEST_ID_HEADER = 'X-Request-Id'

export const newRequestId = (): string => `req_${uuidv4()}`

/** The one body of every error (§7). */
function errorBody(error: ServiceError, requestId: string, baseUrl: string) {
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

/** The headers of every answer. */
export const commonHeaders = (request: FastifyRequest) => ({
  [REQUEST_ID_HEADER]: request.id,
  'Cache-Control': 'no-store',
  'X-Content-Type-Options': 'nosniff',
})

/** Answers any error that a request ended in. */
export function sendError(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const { status, headers, body } = toAnswer(error, request)
  return reply
    .code(status)
    .headers({ ...commonHeaders(request), ...headers })
    .send(body)
}

/** Requests of whose items one was refused as unavailable: a thousand may be, for one reason. */
const toldUnavailable = new WeakSet<FastifyRequest>()

/** How an error is answered; what is our fault goes into the log with its cause, of a batch's items the first. */
export function toAnswer(error: unknown, request: FastifyRequest) {
  const serviceError = toServiceError(error, request.routeOptions.bodyLimit)
  const { status } = ERRORS[serviceError.code]
  const isUnavailable = serviceError.code === 'UNAVAILABLE'
  if (status >= 500 && !(isUnavailable && toldUnavailable.has(request))) {
    request.log[isUnavailable ? 'warn' : 'error'](
      { err: serviceError.cause ?? error, url: request.url, method: request.method },
      serviceError.message,
    )
    if (isUnavailable) toldUnavailable.add(request)
  }
  const { headers } = serviceError
  return { status, headers, body: errorBody(serviceError, request.id, publicUrl(request)) }
}

function toServiceError(error: unknown, bodyLimit: number): ServiceError {
  if (error instanceof ServiceError) return error
  const { code, statusCode, message } = error as Partial<FastifyError>
  switch (code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return new ServiceError('PAYLOAD_TOO_LARGE', `The body is larger than ${bodyLimit / 1024 / 1024} MiB.`)
    case 'FST_ERR_BAD_URL':
      return validationError([
        { path: 'path', message: 'is not valid percent-encoded UTF-8, or is too long' },
      ])
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return unsupportedMediaType('The body must be JSON; send the header Content-Type: application/json.')
  }
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500) {
    return new ServiceError('VALIDATION_ERROR', message, { cause: error })
  }
  return new ServiceError('INTERNAL_ERROR', undefined, { cause: error })
}

function unsupportedMediaType(message: string): ServiceError {
  return new ServiceError('UNSUPPORTED_MEDIA_TYPE', message)
}

/** @throws UNSUPPORTED_MEDIA_TYPE for a compressed body */
export function refuseEncoding({ headers }: FastifyRequest): void {
  const encoding = `${headers['content-encoding'] ?? 'identity'}`.toLowerCase()
  if (encoding !== 'identity') throw unsupportedMediaType(`The body must not be compressed (${encoding}).`)
}

/** Answers what is not HTTP, or not in time: there is no request to reply to, only a socket. */
export function answerClientError(baseUrl: string) {
  return (error: NodeJS.ErrnoException, socket: Socket): void => {
    if (error.code === 'ECONNRESET' || !socket.writable) {
      socket.destroy()
      return
    }
    const { status, headers, body } =
      error.code === 'HPE_HEADER_OVERFLOW'
        ? bareAnswer('PAYLOAD_TOO_LARGE', 'The headers of the request are too large.', baseUrl)
        : bareAnswer('VALIDATION_ERROR', 'The request is not valid HTTP, or did not arrive in time.', baseUrl)
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
    socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${body}`)
  }
}

/** Answers an `Expect` header other than 100-continue, which Node answers without a body. */
export function answerExpectation(baseUrl: string) {
  return (_request: IncomingMessage, response: ServerResponse): void => {
    const { status, headers, body } = bareAnswer(
      'VALIDATION_ERROR',
      'The header Expect asks too much.',
      baseUrl,
    )
    response.writeHead(status, headers).end(body)
  }
}

/** An error's answer where the framework is not reached. */
function bareAnswer(code: ErrorCode, message: string, baseUrl: string) {
  const requestId = newRequestId()
  const body = JSON.stringify(errorBody(new ServiceError(code, message), requestId, baseUrl))
  const headers = {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(body),
    [REQUEST_ID_HEADER]: requestId,
    Connection: 'close',
  }
  return { status: ERRORS[code].status, headers, body }
}
