import {
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
  STATUS_CODES,
} from 'node:http'
import type { Socket } from 'node:net'
import { ERRORS } from '../../../kernel/error-catalogue.ts'
import { RETRY_LATER, ServiceError } from '../../../kernel/errors.ts'
import {
  CONNECTION_TIMEOUTS,
  CONNECTION_WATCH_INTERVAL_MS,
  CONNECTIONS_PER_SWEEP,
  MAX_HEADERS_CHECK_INTERVAL_MS,
} from '../limits.ts'
import {
  errorBody,
  newRequestId,
  REFERRER_POLICY,
  REQUEST_ID_HEADER,
  strictTransport,
} from '../responses/error-response.ts'
import { Connection, type ConnectionTimeouts } from './connection.ts'
import { clientAddress } from './forwarded-headers.ts'

export interface ConnectionOptions extends Answering {
  maxConnections: number
  /** Whether an address is a trusted proxy, which connects for many clients. */
  isTrustedProxy: (address: string) => boolean
  timeouts?: Partial<ConnectionTimeouts> | undefined
}

interface Idle {
  connection: Connection
  since: number
}

/**
 * All connections of a server: limits their number and their timeouts.
 * | Closed connections are found once a second, with every 64th new one, and when there is no room. A close listener
 * per socket, beside Node's own, would change the listener list with each request. V8 then retains most of a request
 * beyond its end, and garbage collection takes three times as long.
 */
export class Connections {
  readonly #open = new Map<Socket, Connection>()
  readonly #countByAddress = new Map<string, number>()
  readonly #options: ConnectionOptions
  readonly #timeouts: ConnectionTimeouts
  #opened = 0

  constructor(options: ConnectionOptions) {
    this.#options = options
    this.#timeouts = { ...CONNECTION_TIMEOUTS, ...options.timeouts }
  }

  /** For Node's server. Its own timeout of a whole request would cut streams, and write its response into them. */
  get timeouts() {
    const { headersMs } = this.#timeouts
    return {
      requestTimeout: 0,
      headersTimeout: headersMs,
      connectionsCheckingInterval: Math.min(headersMs / 2, MAX_HEADERS_CHECK_INTERVAL_MS),
    }
  }

  /** May include connections that closed a moment ago. */
  get open(): number {
    return this.#open.size
  }

  /** Manages the server's connections until the server is closed. */
  watch(server: Server): void {
    const refuseExpectation = answerExpectation(this.#options)
    server.on('connection', (socket) => this.#admit(socket))
    server.on('checkExpectation', (request, response) => this.handle(request, response, refuseExpectation))
    server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
      const connection = this.#open.get(socket)
      // Browsers open connections in advance. A response on a connection without a request would be taken for the
      // response to its first request.
      if (error.code === 'ECONNRESET' || !connection || socket.bytesRead === 0) socket.destroy()
      else connection.fail(clientErrorAnswer(error, this.#options))
    })
    const every = Math.min(CONNECTION_WATCH_INTERVAL_MS, ...Object.values(this.#timeouts).map((ms) => ms / 2))
    const watch = setInterval(() => this.#look(), every).unref()
    server.on('close', () => clearInterval(watch))
  }

  /** Handles a request after the earlier requests of its connection. */
  handle(request: IncomingMessage, response: ServerResponse, handle: RequestListener): void {
    const connection = this.#open.get(request.socket)
    // All requests come from connections of this server.
    connection?.handle(request, response, handle, performance.now())
  }

  /**
   * Beyond the limits a new connection replaces the one that has been idle for longest. Without an idle connection
   * the new one is refused. One address gets half of all connections.
   */
  #admit(socket: Socket): void {
    if (++this.#opened % CONNECTIONS_PER_SWEEP === 0) this.#forgetClosed()
    if (isDead(socket)) {
      socket.destroy()
      return
    }
    const address = addressOf(socket)
    const { maxConnections, isTrustedProxy } = this.#options
    const addressConnections = this.#countByAddress.get(address) ?? 0
    const isGreedy = addressConnections >= Math.max(1, maxConnections / 2) && !isTrustedProxy(address)
    const connection = new Connection(address, socket, performance.now())
    if ((isGreedy || this.#open.size >= maxConnections) && !this.#makeRoom(isGreedy ? address : null)) {
      connection.end(tooManyConnectionsAnswer(this.#options))
      return
    }
    this.#open.set(socket, connection)
    this.#countByAddress.set(address, (this.#countByAddress.get(address) ?? 0) + 1)
  }

  /** Aborts responses in progress. */
  cutAll(): void {
    for (const connection of this.#open.values()) connection.abort()
  }

  #forgetClosed(): void {
    for (const connection of this.#open.values()) if (connection.socket.closed) this.#forget(connection)
  }

  #forget({ address, socket }: Connection): void {
    this.#open.delete(socket)
    const left = (this.#countByAddress.get(address) ?? 1) - 1
    if (left > 0) this.#countByAddress.set(address, left)
    else this.#countByAddress.delete(address)
  }

  /**
   * Forgets a closed connection, or closes the one that has been idle for longest: of this address, or of all.
   * Connections without a request so far are closed first. Returns false if none is idle.
   */
  #makeRoom(address: string | null): boolean {
    let longest: Idle | null = null
    for (const connection of this.#open.values()) {
      if (address !== null && connection.address !== address) continue
      if (connection.socket.closed) {
        this.#forget(connection)
        return true
      }
      const since = connection.idleSince
      if (since === null) continue
      if (longest === null || mayGoBefore(connection, since, longest)) longest = { connection, since }
    }
    if (longest === null) return false
    this.#forget(longest.connection)
    longest.connection.socket.destroy()
    return true
  }

  #look(): void {
    const now = performance.now()
    this.#forgetClosed()
    for (const connection of this.#open.values()) {
      const overdue = connection.timedOut(now, this.#timeouts)
      if (overdue === 'body') connection.fail(lateAnswer(this.#options))
      else if (overdue !== null) connection.abort()
    }
  }
}

/**
 * The client reset the connection before it was accepted. Its data could still be read, but it would delay clients
 * that wait for a response.
 */
const isDead = ({ remoteAddress }: Socket): boolean => remoteAddress === undefined

/** Of IPv6 the network: one client has all of its addresses. */
const addressOf = ({ remoteAddress = '' }: Socket): string => clientAddress({ ip: remoteAddress })

const mayGoBefore = ({ hasRequested }: Connection, since: number, other: Idle): boolean =>
  hasRequested === other.connection.hasRequested ? since < other.since : !hasRequested

const lateAnswer = (answering: Answering) =>
  clientErrorAnswer(new Error('the body did not arrive'), answering)

/* Responses outside the framework: to a socket, or to a request that Node does not pass on. */

/** The response to a request that never reached the framework. */
export interface BareAnswer {
  requestId: string
  status: number
  code: string
}

/** The public URL in responses, and the listener of responses. */
interface Answering {
  publicUrl: string
  onBareAnswer: (answer: BareAnswer) => void
}

/** The response to invalid HTTP and to a timeout. */
function clientErrorAnswer(error: NodeJS.ErrnoException, answering: Answering): string {
  return error.code === 'HPE_HEADER_OVERFLOW'
    ? asText(new ServiceError('PAYLOAD_TOO_LARGE', 'The headers of the request are too large.'), answering)
    : refusalAnswer('The request is not valid HTTP, or did not arrive in time.', answering)
}

const refusalAnswer = (message: string, answering: Answering): string =>
  asText(new ServiceError('VALIDATION_ERROR', message), answering)

/** The response to a connection beyond the limit. */
function tooManyConnectionsAnswer(answering: Answering): string {
  const message = 'The server has as many connections as it takes.'
  return asText(new ServiceError('UNAVAILABLE', message, { headers: RETRY_LATER }), answering)
}

/** Answers an `Expect` header other than 100-continue, which Node answers without a body. */
function answerExpectation(answering: Answering) {
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
