import { Agent as HttpAgent, type IncomingMessage } from 'node:http'
import { Agent as HttpsAgent } from 'node:https'
import {
  ADDRESS_TIMEOUT_MS,
  ATTEMPT_TIMEOUT_MS,
  IDLE_CONNECTION_TIMEOUT_MS,
  MAX_READ_RESPONSE_BYTES,
  MAX_STORED_ERROR_LENGTH,
  MAX_STORED_RESPONSE_BYTES,
} from './limits.ts'
import {
  AddressRefused,
  isAllowedPort,
  literalAddress,
  PORT_RULE,
  portOf,
  publicLookup,
  requirePublic,
} from './public-addresses.ts'
import { NoResponse, sendRequest } from './send-request.ts'

/** The result of an attempt: the receiver's response, or the reason for the failure. */
export interface AttemptResult {
  durationMs: number
  /** Null without a response. */
  status: number | null
  /** The beginning of the response's body. Null without a response. */
  answer: string | null
  /** Why the attempt failed, as a sentence. Null if it succeeded. */
  error: string | null
  /** Milliseconds of the Retry-After header. 0 without one. */
  retryAfterMs: number
}

export interface WebhookClientOptions {
  /** Allows private addresses, for development. */
  allowPrivate: boolean
  /** Allowed ports below 1024, in addition to 80 and 443; by default none. */
  ports?: readonly number[]
  /** Name servers that are queried for public addresses. Default: those of the machine. */
  nameServers?: readonly string[]
  /** Shorter in tests. */
  attemptTimeoutMs?: number
}

/** Sends requests to URLs that accounts have chosen. */
export class WebhookClient {
  readonly #http: HttpAgent
  readonly #https: HttpsAgent
  readonly #allowPrivate: boolean
  readonly #ports: readonly number[]
  readonly #timeoutMs: number
  readonly #inFlight = new Set<AbortController>()
  #isStopped = false

  constructor({
    allowPrivate,
    ports = [],
    nameServers,
    attemptTimeoutMs = ATTEMPT_TIMEOUT_MS,
  }: WebhookClientOptions) {
    this.#allowPrivate = allowPrivate
    this.#ports = ports
    this.#timeoutMs = attemptTimeoutMs
    const options = {
      keepAlive: true,
      // Closes idle connections. A connection in use is limited by the attempt's own timeout.
      timeout: IDLE_CONNECTION_TIMEOUT_MS,
      ...(allowPrivate
        ? {}
        : {
            lookup: publicLookup(nameServers ?? null),
            autoSelectFamilyAttemptTimeout: ADDRESS_TIMEOUT_MS,
          }),
    }
    this.#http = new HttpAgent(options)
    this.#https = new HttpsAgent(options)
  }

  /** Null if `stop` aborted the attempt. Never rejects. */
  async send(url: string, headers: Record<string, string>, body: string): Promise<AttemptResult | null> {
    if (this.#isStopped) return null
    const startedAt = performance.now()
    const attempt = new AbortController()
    // Cleared after the attempt. An `AbortSignal.timeout` would stay in memory for its full time, and thousands of
    // attempts fit into that time.
    const timer = setTimeout(
      () => attempt.abort(new NoResponse(`No answer within ${this.#timeoutMs / 1_000} s.`)),
      this.#timeoutMs,
    )
    this.#inFlight.add(attempt)
    try {
      const outcome = await this.#attempt(url, headers, body, attempt.signal)
      return { ...outcome, durationMs: Math.round(performance.now() - startedAt) }
    } catch (error) {
      if (this.#isStopped) return null
      const outcome = outcomeOfError(error as Error)
      return { ...outcome, durationMs: Math.round(performance.now() - startedAt) }
    } finally {
      clearTimeout(timer)
      this.#inFlight.delete(attempt)
    }
  }

  async #attempt(
    url: string,
    headers: Record<string, string>,
    body: string,
    signal: AbortSignal,
  ): Promise<Outcome> {
    const { protocol, hostname, port: givenPort } = new URL(url)
    // The port was checked when the URL was set, but the setting may have changed since.
    const port = portOf(givenPort, protocol)
    if (!isAllowedPort(port, this.#ports))
      throw new AddressRefused(`Port ${port} is not allowed: it ${PORT_RULE}.`)
    // The address of a name is checked by the look-up of this connection.
    const literal = literalAddress(hostname)
    if (!this.#allowPrivate && literal !== null) requirePublic(literal)
    const agent = protocol === 'https:' ? this.#https : this.#http
    const response = await sendRequest(url, { agent, method: 'POST', headers, body, signal })
    const { statusCode = 0, headersDistinct } = response
    // Before the body: Retry-After may be a date.
    const outcome = outcomeOfStatus(statusCode, headersDistinct['retry-after'])
    return { ...outcome, answer: await readBeginning(response) }
  }

  /** Aborts the attempts in flight. */
  async stop(): Promise<void> {
    this.#isStopped = true
    for (const attempt of this.#inFlight) attempt.abort()
    this.#http.destroy()
    this.#https.destroy()
  }
}

type Outcome = Omit<AttemptResult, 'durationMs'>

function outcomeOfError(error: Error): Outcome {
  const read = error instanceof NoResponse ? readRepeatedLength(error.received) : null
  if (read) {
    const bytes = Buffer.from(read.body, 'latin1')
    return {
      ...outcomeOfStatus(read.status, read.retryAfter),
      answer: toText([bytes.subarray(0, MAX_STORED_RESPONSE_BYTES)], bytes.length),
    }
  }
  const message = error.message.slice(0, MAX_STORED_ERROR_LENGTH).replaceAll('\0', '\ufffd')
  return { status: null, answer: null, error: message, retryAfterMs: 0 }
}

function outcomeOfStatus(status: number, retryAfter: string[] | undefined) {
  const isSuccess = status >= 200 && status < 300
  const isRedirect = status >= 300 && status < 400
  const failure = isRedirect
    ? `The answer is a redirect (${status}), which is not followed.`
    : `The answer is ${status}.`
  return { status, error: isSuccess ? null : failure, retryAfterMs: readRetryAfter(retryAfter) }
}

/** Seconds, or a date that begins with the day of the week. `Date.parse` alone also accepts other texts. */
function readRetryAfter([header, ...others]: string[] = []): number {
  if (header === undefined || others.length > 0) return 0
  const text = header.trim()
  if (/^\d+$/.test(text)) return Number(text) * 1_000
  if (!/^(mon|tue|wed|thu|fri|sat|sun)/i.test(text)) return 0
  // The ANSI C format names no zone and is in UTC (RFC 9110 §5.6.7).
  const hasZone = /[a-z]$/i.test(text)
  // `|| 0` for an invalid date, which is NaN.
  return Math.max(0, Date.parse(hasZone ? text : `${text} GMT`) - Date.now()) || 0
}

/** Also returns a body that breaks off: the status of the response counts. */
async function readBeginning(body: IncomingMessage): Promise<string> {
  const kept: Buffer[] = []
  let read = 0
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      if (read < MAX_STORED_RESPONSE_BYTES) kept.push(chunk.subarray(0, MAX_STORED_RESPONSE_BYTES - read))
      read += chunk.length
      // Leaving the loop ends the connection.
      if (read > MAX_READ_RESPONSE_BYTES) break
    }
  } catch {
    // The connection broke within the body.
  }
  return toText(kept, read)
}

/**
 * A character that was cut at the end is dropped. PostgreSQL cannot store the character 0.
 * @param bytes length of the whole body
 */
function toText(kept: Buffer[], bytes: number): string {
  const text = new TextDecoder().decode(Buffer.concat(kept), { stream: bytes > MAX_STORED_RESPONSE_BYTES })
  return text.replaceAll('\0', '\ufffd')
}

const BLANK_LINE = '\r\n\r\n'
const STATUS_LINE = /^HTTP\/1\.[01] (\d{3})(?: |\r|$)/

interface ParsedResponse {
  status: number
  retryAfter: string[]
  /** The part that was received. */
  body: string
}

/**
 * Parses a response that repeats the same Content-Length. RFC 9110 §8.6 allows a client to accept it, and other clients do.
 * Node's parser refuses it, also with `insecureHTTPParser`.
 * @param received the bytes that the connection received since the request, in Latin 1
 * @returns null for any other response
 */
function readRepeatedLength(received: string): ParsedResponse | null {
  let rest = received
  for (;;) {
    const end = rest.indexOf(BLANK_LINE)
    const status = Number(STATUS_LINE.exec(rest)?.[1])
    if (end < 0 || Number.isNaN(status)) return null
    const head = rest.slice(0, end)
    rest = rest.slice(end + BLANK_LINE.length)
    // An interim response (1xx): the final one follows.
    if (status < 200) continue
    if (valuesOf(head, 'transfer-encoding').length > 0) return null
    const lengths = valuesOf(head, 'content-length').flatMap((value) => value.split(','))
    const [length, ...others] = lengths.map((value) => value.trim())
    if (length === undefined || !/^\d{1,15}$/.test(length) || others.length === 0) return null
    if (others.some((other) => other !== length)) return null
    return { status, retryAfter: valuesOf(head, 'retry-after'), body: rest.slice(0, Number(length)) }
  }
}

function valuesOf(head: string, name: string): string[] {
  return head
    .split('\r\n')
    .slice(1)
    .filter((line) => line.toLowerCase().startsWith(`${name}:`))
    .map((line) => line.slice(name.length + 1).trim())
}
