import { Agent, buildConnector, type Dispatcher, errors } from 'undici'
import { isAllowedPort, PORT_RULE, portOf } from './allowed-ports.ts'
import { AddressRefused, literalAddress, publicLookup, requirePublic } from './public-addresses.ts'
import { LONGEST_ATTEMPT_MS, type SentAnswer } from './sent-answer.ts'

export interface WebhookClientOptions {
  /** For development: any address will do. */
  allowPrivate: boolean
  /** Ports below 1024 besides 80 and 443; by default none. */
  ports?: readonly number[]
  /** That are asked for public addresses; by default those of the machine. */
  nameServers?: readonly string[]
  /** For tests, which have less time. */
  longestAttemptMs?: number
}

/** Of an answer that are kept. */
const KEPT_BYTES = 1_024
/** Of an answer that are read, so that its connection serves again. */
const READ_BYTES = 64 * 1_024
/** If a host has several addresses, the next one is tried after so long. */
const LONGEST_TRY_OF_ADDRESS_MS = 2_000
/** Answers of 1xx before the answer: more are no use, and cost time. */
const MOST_INTERIM = 10
/** A connection without a request is kept for so long. */
const KEEP_ALIVE_MS = 10_000

/** Sends to addresses that others have chosen. */
export class WebhookClient {
  readonly #agent: Agent
  readonly #longestMs: number
  readonly #underWay = new Set<AbortController>()
  #isStopped = false

  constructor({
    allowPrivate,
    ports = [],
    nameServers,
    longestAttemptMs: timeout = LONGEST_ATTEMPT_MS,
  }: WebhookClientOptions) {
    this.#longestMs = timeout
    this.#agent = new Agent({
      connect: inSmallPieces(
        toAllowedPorts(
          ports,
          allowPrivate
            ? buildConnector({ timeout, allowH2: false })
            : connectToPublic(timeout, nameServers ?? null),
        ),
      ),
      allowH2: false,
      keepAliveTimeout: KEEP_ALIVE_MS,
      keepAliveMaxTimeout: KEEP_ALIVE_MS,
      headersTimeout: timeout,
      bodyTimeout: timeout,
    })
  }

  /** Null if it was broken off by `stop`. Never rejects. */
  async send(url: string, headers: Record<string, string>, body: string): Promise<SentAnswer | null> {
    const startedAt = performance.now()
    const attempt = new AbortController()
    const { signal } = attempt
    const breakOff = (words: string) => attempt.abort(new Error(words))
    // Ended with the attempt: an `AbortSignal.timeout` lives until its time, and thousands are sent within that.
    const timer = setTimeout(breakOff, this.#longestMs, NO_ANSWER)
    this.#underWay.add(attempt)
    let interim = 0
    const onInfo = () => {
      if (++interim > MOST_INTERIM) breakOff(ONLY_INTERIM)
    }
    let answered: Pick<SentAnswer, 'status' | 'answer' | 'error' | 'retryAfterMs'>
    try {
      const answer = await this.#agent.request({
        ...targetOf(url),
        method: 'POST',
        headers,
        body,
        signal,
        onInfo,
      })
      // The status counts, also if the rest never comes.
      answered = { ...judge(answer), answer: await beginningOf(answer.body) }
    } catch (error) {
      if (this.#isStopped) return null
      const words = signal.aborted ? signal.reason.message : inWords(error as Error)
      answered = { status: null, answer: null, error: words, retryAfterMs: 0 }
    } finally {
      clearTimeout(timer)
      this.#underWay.delete(attempt)
    }
    return { ...answered, durationMs: Math.round(performance.now() - startedAt) }
  }

  /** Breaks off what is on its way. */
  async stop(): Promise<void> {
    this.#isStopped = true
    for (const attempt of this.#underWay) attempt.abort()
    await this.#agent.destroy()
  }
}

/** Of an answer that are parsed at a time. */
const PIECE_BYTES = 256

/**
 * If an answer has too many headers, undici goes on to the end of what it was given, and makes an error of each header more:
 * it is given little.
 */
function inSmallPieces(connect: buildConnector.connector): buildConnector.connector {
  return (options, callback) =>
    connect(options, (...[error, socket]) => {
      if (error) return callback(error, null)
      const read = socket.read.bind(socket)
      // What is left in one that was given up is not parsed either.
      socket.read = (size?: number) =>
        socket.destroyed
          ? null
          : read(size ?? (socket.readableLength > PIECE_BYTES ? PIECE_BYTES : undefined))
      callback(null, socket)
    })
}

/** The URL was judged when it was given; since then the setting may have changed. */
function toAllowedPorts(
  ports: readonly number[],
  connect: buildConnector.connector,
): buildConnector.connector {
  return (options, callback) => {
    const port = portOf(options.port, options.protocol)
    if (isAllowedPort(port, ports)) return connect(options, callback)
    callback(new AddressRefused(`Port ${port} is not allowed: it ${PORT_RULE}.`), null)
  }
}

/** Judges the address that is connected to, not one that was looked up before. */
function connectToPublic(timeout: number, nameServers: readonly string[] | null): buildConnector.connector {
  const connect = buildConnector({
    timeout,
    allowH2: false,
    lookup: publicLookup(nameServers),
    autoSelectFamilyAttemptTimeout: LONGEST_TRY_OF_ADDRESS_MS,
  })
  return (options, callback) => {
    const literal = literalAddress(options.hostname)
    try {
      if (literal !== null) requirePublic(literal)
    } catch (error) {
      return callback(error as Error, null)
    }
    return connect(options, callback)
  }
}

/** As an Agent's request wants it. */
export function targetOf(url: string) {
  const { origin, pathname, search } = new URL(url)
  return { origin, path: `${pathname}${search}` }
}

function judge({ statusCode, headers }: Dispatcher.ResponseData) {
  const isSuccess = statusCode >= 200 && statusCode < 300
  const isRedirect = statusCode >= 300 && statusCode < 400
  const refused = isRedirect
    ? `The answer is a redirect (${statusCode}), which is not followed.`
    : `The answer is ${statusCode}.`
  return {
    status: statusCode,
    error: isSuccess ? null : refused,
    retryAfterMs: readRetryAfter(headers['retry-after']),
  }
}

/** Seconds, or a date, which begins with the day of the week: of anything else `Date.parse` makes a time as well. */
function readRetryAfter(header: string | string[] | undefined): number {
  if (typeof header !== 'string') return 0
  const text = header.trim()
  if (/^\d+$/.test(text)) return Number(text) * 1_000
  if (!/^(mon|tue|wed|thu|fri|sat|sun)/i.test(text)) return 0
  return Math.max(0, Date.parse(text) - Date.now()) || 0
}

async function beginningOf(body: Dispatcher.ResponseData['body']): Promise<string> {
  const kept: Buffer[] = []
  let read = 0
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      if (read < KEPT_BYTES) kept.push(chunk.subarray(0, KEPT_BYTES - read))
      read += chunk.length
      // Leaving the loop ends the connection.
      if (read > READ_BYTES) break
    }
  } catch {
    // What has come is what there is.
  }
  // A character that is cut is left out; PostgreSQL stores no character 0.
  const text = new TextDecoder().decode(Buffer.concat(kept), { stream: read > KEPT_BYTES })
  return text.replaceAll('\0', '\ufffd')
}

const NO_ANSWER = `No answer within ${LONGEST_ATTEMPT_MS / 1_000} s.`

const NO_HTTP = 'The answer is no HTTP.'
const ONLY_INTERIM = 'The answer does not come: there are only interim ones.'

const WORDS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'The connection was refused.',
  ECONNRESET: 'The connection was reset.',
  EPIPE: 'The connection was reset.',
  UND_ERR_SOCKET: 'The connection was closed without an answer.',
  ENOTFOUND: 'The name of the host is not known.',
  EAI_AGAIN: 'The name of the host could not be looked up.',
  EHOSTUNREACH: 'The host cannot be reached.',
  ENETUNREACH: 'The host cannot be reached.',
  ETIMEDOUT: NO_ANSWER,
  UND_ERR_CONNECT_TIMEOUT: NO_ANSWER,
  UND_ERR_HEADERS_TIMEOUT: NO_ANSWER,
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: NO_HTTP,
  UND_ERR_HEADERS_OVERFLOW: 'The answer has too many headers.',
  CERT_HAS_EXPIRED: 'The certificate of the host has expired.',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'The certificate of the host is self-signed.',
  ERR_TLS_CERT_ALTNAME_INVALID: 'The certificate is of another host.',
}

const LONGEST_WORDS = 300

function inWords(error: Error & { code?: string }): string {
  // Of the addresses, the one that was tried last.
  const last = error instanceof AggregateError ? error.errors.at(-1) : null
  const cause: Error & { code?: string } = last ?? error
  if (cause instanceof AddressRefused) return cause.message
  if (cause instanceof errors.HTTPParserError) return NO_HTTP
  const words =
    WORDS[cause.code ?? ''] ?? `It could not be sent: ${cause.message || cause.code || cause.name}.`
  return words.replaceAll('\0', '\ufffd').slice(0, LONGEST_WORDS)
}
