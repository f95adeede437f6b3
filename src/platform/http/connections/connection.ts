import { IncomingMessage, type RequestListener, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** How long a connection may keep the server waiting, in milliseconds. */
export interface Patience {
  /** For the head of a request. */
  headersMs: number
  /** For a body to arrive whole. */
  bodyMs: number
  /** For a stream of lines to move, in either direction. */
  streamMs: number
  /** For an answer to move: at least the 64 KiB that are written at a time. */
  answerMs: number
}

/** Requests of a connection that may wait while one before them is answered. */
const MOST_WAITING = 32
/** A connection that was answered for the last time is destroyed after this, whether the other side ends it or not. */
const LINGER_MS = 1_000

interface Exchange {
  request: IncomingMessage
  response: ServerResponse
  handle: RequestListener
}

const streams = new WeakSet<IncomingMessage>()

/** The body of this request is a stream: it may last as long as it moves. */
export function mayLast(request: IncomingMessage): void {
  streams.add(request)
}

/**
 * A connection and what happens on it. Its requests are taken one at a time, in their order: a client that sends many
 * without reading an answer is never owed more than one.
 */
export class Connection {
  /** Whose it is. */
  readonly address: string
  readonly socket: Socket
  #current: Exchange | null = null
  readonly #waiting: Exchange[] = []
  /** The request that came last; its body may still be on its way. */
  #latest: IncomingMessage | null = null
  #latestSince = 0
  /** What is answered in the place of a request that is not one, once those before it are answered. */
  #lastWord: string | null = null
  #isEnding = false
  #isTurnedAway = false
  #sent = 0
  #received = 0
  /** When the answer moved, and when anything did; by performance.now(). */
  #sentAt: number
  #movedAt: number
  /** Since when nothing is asked; by performance.now(). */
  #idleSince: number

  constructor(address: string, socket: Socket, now: number) {
    this.address = address
    this.socket = socket
    this.#sentAt = now
    this.#movedAt = now
    this.#idleSince = now
  }

  /** Since when no request is under way; null while one is. */
  get idleSince(): number | null {
    return this.#current === null ? this.#idleSince : null
  }

  get hasAsked(): boolean {
    return this.#latest !== null
  }

  take(request: IncomingMessage, response: ServerResponse, handle: RequestListener, now: number): void {
    if (this.#isEnding) return
    this.#latest = request
    this.#latestSince = now
    if (this.#current === null) this.#start({ request, response, handle })
    else if (this.#waiting.length < MOST_WAITING) this.#waiting.push({ request, response, handle })
    else this.#turnAway()
  }

  /** Nothing more is read, and the next connection is a while off. */
  #turnAway(): void {
    this.#takeNoMore()
    this.#isTurnedAway = true
    this.socket.pause()
    this.#destroySoon()
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
    // Node reads on after an answer.
    if (this.#isTurnedAway) this.socket.pause()
    if (this.socket.destroyed || this.#isEnding) return
    const next = this.#waiting.shift()
    if (next) {
      if (next.request === this.#latest) this.#latestSince = now
      this.#start(next)
    } else if (this.#lastWord !== null) this.end(this.#lastWord)
  }

  /**
   * What came is not HTTP, or not in time. It is answered in its turn: not in the middle of an answer, and not in the
   * place of one that is still to come.
   */
  breakOff(lastWord: string): void {
    if (this.#isEnding || this.#lastWord !== null) return
    const broken = this.#latest?.complete === false ? this.#latest : null
    if (broken && this.#waiting.at(-1)?.request === broken) this.#waiting.pop()
    // Answered before its body was there, it is owed nothing more.
    if (this.#current === null && broken) this.socket.destroy()
    else if (this.#current === null) this.end(lastWord)
    else if (this.#current.request !== broken) this.#lastWord = lastWord
    else if (this.#current.response.headersSent) this.socket.destroy()
    else this.end(lastWord)
  }

  /** Sends the last word and is rid of the connection, whatever the other side does. */
  end(lastWord: string): void {
    this.#takeNoMore()
    if (!this.socket.writable) {
      this.socket.destroy()
      return
    }
    this.socket.end(lastWord)
    this.#destroySoon()
  }

  #takeNoMore(): void {
    this.#isEnding = true
    parseNoMore(this.socket)
  }

  #destroySoon(): void {
    const destroying = setTimeout(() => this.socket.destroy(), LINGER_MS)
    this.socket.once('close', () => clearTimeout(destroying))
  }

  /**
   * Leaves it where it stands. Who speaks HTTP/1.0, as some proxies do, takes the end of the connection for that of the
   * answer, unless it is reset.
   */
  cut(): void {
    if (this.#current === null) this.socket.destroy()
    else this.socket.resetAndDestroy()
  }

  /** Which patience is at its end, if any. */
  overdue(now: number, patience: Patience): 'body' | 'stream' | 'answer' | null {
    const { bytesRead, writableLength } = this.socket
    const sent = this.socket.bytesWritten - writableLength
    if (sent !== this.#sent || bytesRead !== this.#received) this.#movedAt = now
    if (sent !== this.#sent || writableLength === 0) this.#sentAt = now
    this.#sent = sent
    this.#received = bytesRead
    if (now - this.#sentAt > patience.answerMs) return 'answer'
    if (this.#latest === null || this.#latest.complete) return null
    // Nothing of its body is read before its turn has come.
    if (this.#current !== null && this.#current.request !== this.#latest) return null
    if (streams.has(this.#latest)) return now - this.#movedAt > patience.streamMs ? 'stream' : null
    return now - this.#latestSince > patience.bodyMs ? 'body' : null
  }
}

/** What Node's parser takes for a change to another protocol: what follows is not its own. */
const NOT_HTTP_ANY_MORE = 2

/**
 * Node parses all that it has read, and makes objects of it: hundreds of requests. Its documents know no way to stop it;
 * it asks this function of its parser whether to go on behind each head.
 */
function parseNoMore(socket: Socket): void {
  const { parser } = socket as Socket & { parser?: { onIncoming: () => number } | null }
  if (parser) parser.onIncoming = () => NOT_HTTP_ANY_MORE
}

/** Pieces in which a body may come: so many, so many more a second, and one more for so many bytes. */
const FREE = 1_000
const A_SECOND = 200
const BYTES_OF_ONE = 16

/**
 * A request whose body comes in pieces that are worth their cost. Each is handed on by itself: a megabyte in chunks of
 * one byte would take seconds and hundreds of megabytes.
 */
export class IncomingRequest extends IncomingMessage {
  #pieces = 0
  #bytes = 0
  #since = 0
  #isCut = false

  override push(piece: Buffer | null): boolean {
    if (this.#isCut) return false
    if (piece === null) return super.push(null)
    if (this.#isUnwanted) return true
    if (!this.#isCrumbled(piece.length)) return super.push(piece)
    this.#isCut = true
    this.socket.emit('crumbled')
    return false
  }

  /** The rest of a refused body is read only to reach the next request. It is dropped, and costs nothing. */
  get #isUnwanted(): boolean {
    return this.readableFlowing === true && this.listenerCount('data') === 0
  }

  /** Nothing more is taken up. */
  override _read(size: number): void {
    if (!this.#isCut) super._read(size)
  }

  #isCrumbled(bytes: number): boolean {
    this.#pieces++
    this.#bytes += bytes
    if (this.#pieces === 2) this.#since = performance.now()
    if (this.#pieces <= FREE) return false
    const seconds = (performance.now() - this.#since) / 1_000
    return this.#pieces > FREE + this.#bytes / BYTES_OF_ONE + seconds * A_SECOND
  }
}
