import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { CLOSE_DELAY_MS, MAX_OUTSTANDING_REQUESTS } from '../limits.ts'

/** Timeouts of a connection, in milliseconds. */
export interface ConnectionTimeouts {
  /** Until the headers of a request have arrived. */
  headersMs: number
  /** Until a body has arrived. */
  bodyMs: number
  /** A stream of lines without progress in either direction. */
  streamMs: number
  /** A response without progress: at least the 64 KiB that are written at a time. */
  responseMs: number
}

interface Exchange {
  request: IncomingMessage
  response: ServerResponse
  handle: RequestListener
}

const streams = new WeakSet<IncomingMessage>()

/** The body of this request is a stream: it has no timeout while it makes progress. */
export function allowLongBody(request: IncomingMessage): void {
  streams.add(request)
}

/**
 * A connection and its pipelined requests. They are handled one at a time, in their order, so a client that sends many requests
 * without reading has one response in memory. A connection with too many outstanding requests is destroyed.
 */
export class Connection {
  readonly address: string
  readonly socket: Socket
  #current: Exchange | null = null
  readonly #waiting: Exchange[] = []
  /** The request that arrived last. Its body may still be arriving. */
  #latest: IncomingMessage | null = null
  #latestSince = 0
  /** The response to invalid HTTP. It is sent after the responses to the requests before. */
  #lastResponse: string | null = null
  #isEnding = false
  #sent = 0
  #received = 0
  /** Times of the last progress of a response, and of any progress, by performance.now(). */
  #sentAt: number
  #progressAt: number
  /** The time since which no request is in progress, by performance.now(). */
  #idleSince: number

  constructor(address: string, socket: Socket, now: number) {
    this.address = address
    this.socket = socket
    this.#sentAt = now
    this.#progressAt = now
    this.#idleSince = now
  }

  /** Null while a request is in progress. */
  get idleSince(): number | null {
    return this.#current === null ? this.#idleSince : null
  }

  get hasRequested(): boolean {
    return this.#latest !== null
  }

  handle(request: IncomingMessage, response: ServerResponse, handle: RequestListener, now: number): void {
    if (this.#isEnding) return
    this.#latest = request
    this.#latestSince = now
    if (this.#current === null) this.#start({ request, response, handle })
    else if (this.#waiting.length < MAX_OUTSTANDING_REQUESTS)
      this.#waiting.push({ request, response, handle })
    else {
      this.#isEnding = true
      this.socket.destroy()
    }
  }

  #start(exchange: Exchange): void {
    this.#current = exchange
    exchange.response.on('close', this.#next)
    exchange.handle(exchange.request, exchange.response)
  }

  readonly #next = (): void => {
    this.#current = null
    const now = performance.now()
    this.#idleSince = now
    if (this.socket.destroyed || this.#isEnding) return
    const next = this.#waiting.shift()
    if (next) {
      if (next.request === this.#latest) this.#latestSince = now
      this.#start(next)
    } else if (this.#lastResponse !== null) this.end(this.#lastResponse)
  }

  /** Ends the connection after invalid HTTP or a timeout. The response is sent after the responses to the requests before. */
  fail(response: string): void {
    if (this.#isEnding || this.#lastResponse !== null) return
    const broken = this.#latest?.complete === false ? this.#latest : null
    if (broken && this.#waiting.at(-1)?.request === broken) this.#waiting.pop()
    // The request was answered before its body had arrived.
    if (this.#current === null && broken) this.socket.destroy()
    else if (this.#current === null) this.end(response)
    else if (this.#current.request !== broken) this.#lastResponse = response
    else if (this.#current.response.headersSent) this.socket.destroy()
    else this.end(response)
  }

  /** Sends the last response, reads nothing more and closes the connection, whatever the client does. */
  end(response: string): void {
    this.#isEnding = true
    if (!this.socket.writable) {
      this.socket.destroy()
      return
    }
    this.socket.pause()
    this.socket.end(response)
    const destroying = setTimeout(() => this.socket.destroy(), CLOSE_DELAY_MS)
    this.socket.once('close', () => clearTimeout(destroying))
  }

  /**
   * Closes the connection at once. If a response is in progress, the connection is reset: HTTP/1.0 clients, such as some proxies,
   * take the end of the connection for the end of the response.
   */
  abort(): void {
    if (this.#current === null) this.socket.destroy()
    else this.socket.resetAndDestroy()
  }

  /** The timeout that has passed. */
  timedOut(now: number, timeouts: ConnectionTimeouts): 'body' | 'stream' | 'response' | null {
    const { bytesRead, writableLength } = this.socket
    const sent = this.socket.bytesWritten - writableLength
    if (sent !== this.#sent || bytesRead !== this.#received) this.#progressAt = now
    if (sent !== this.#sent || writableLength === 0) this.#sentAt = now
    this.#sent = sent
    this.#received = bytesRead
    if (now - this.#sentAt > timeouts.responseMs) return 'response'
    if (this.#latest === null || this.#latest.complete) return null
    // The body of a waiting request is not read.
    if (this.#current !== null && this.#current.request !== this.#latest) return null
    if (streams.has(this.#latest)) return now - this.#progressAt > timeouts.streamMs ? 'stream' : null
    return now - this.#latestSince > timeouts.bodyMs ? 'body' : null
  }
}
