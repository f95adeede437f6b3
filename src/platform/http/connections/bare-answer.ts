import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http'
import { ERRORS } from '../../../kernel/error-catalogue.ts'
import { RETRY_LATER, ServiceError } from '../../../kernel/errors.ts'
import {
  errorBody,
  newRequestId,
  REFERRER_POLICY,
  REQUEST_ID_HEADER,
  strictTransport,
} from '../responses/error-response.ts'

/* Answers where the framework is not reached: to a socket, or to a request that Node keeps from it. */

/** The answer to a request that never reached the framework. */
export interface BareAnswer {
  requestId: string
  status: number
  code: string
}

/** With what callers see, and who is told. */
export interface Answering {
  publicUrl: string
  onBareAnswer: (answer: BareAnswer) => void
}

/** What is answered to what is not HTTP, or did not come in time. */
export function clientErrorAnswer(error: NodeJS.ErrnoException, answering: Answering): string {
  return error.code === 'HPE_HEADER_OVERFLOW'
    ? asText(new ServiceError('PAYLOAD_TOO_LARGE', 'The headers of the request are too large.'), answering)
    : refusalAnswer('The request is not valid HTTP, or did not arrive in time.', answering)
}

export const refusalAnswer = (message: string, answering: Answering): string =>
  asText(new ServiceError('VALIDATION_ERROR', message), answering)

/** What is answered to a connection that is one too many. */
export function tooManyConnectionsAnswer(answering: Answering): string {
  const message = 'The server has as many connections as it takes.'
  return asText(new ServiceError('UNAVAILABLE', message, { headers: RETRY_LATER }), answering)
}

/** Answers an `Expect` header other than 100-continue, which Node answers without a body. */
export function answerExpectation(answering: Answering) {
  return (_request: IncomingMessage, response: ServerResponse): void => {
    const refusal = new ServiceError('VALIDATION_ERROR', 'The header Expect asks too much.')
    const { status, headers, body } = bareAnswer(refusal, answering)
    response.writeHead(status, headers).end(body)
  }
}

function asText(error: ServiceError, answering: Answering): string {
  const { status, headers, body } = bareAnswer(error, answering)
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${body}`
}

function bareAnswer(error: ServiceError, { publicUrl, onBareAnswer }: Answering) {
  const requestId = newRequestId()
  const body = JSON.stringify(errorBody(error, requestId, publicUrl))
  const headers = {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(body),
    [REQUEST_ID_HEADER]: requestId,
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': REFERRER_POLICY,
    ...strictTransport(publicUrl),
    Connection: 'close',
    ...error.headers,
  }
  const { status } = ERRORS[error.code]
  onBareAnswer({ requestId, status, code: error.code })
  return { status, headers, body }
}
