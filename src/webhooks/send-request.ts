import {
  type ClientRequest,
  type IncomingMessage,
  type RequestOptions,
  request as requestHttp,
} from 'node:http'
import { request as requestHttps } from 'node:https'
import type { Socket } from 'node:net'
import { MAX_INTERIM_RESPONSES, MAX_RECORDED_HEAD_BYTES } from './limits.ts'
import { AddressRefused } from './public-addresses.ts'

/** A request without a response. The message is a sentence. */
export class NoResponse extends Error {
  override readonly name = 'NoResponse'
  /** The first bytes received instead of a valid head, in Latin 1. */
  readonly received: string

  constructor(message: string, received = '') {
    super(message)
    this.received = received
  }
}

/**
 * Sends a request and waits for the head of the response. Skips interim responses (RFC 9110 §15.2). An abort of the
 * signal, or a pause of `timeout` milliseconds, throws; after the head, it ends the response's body.
 * @throws NoResponse, AddressRefused, the reason of the signal
 */
export async function sendRequest(
  url: string,
  { body, ...options }: RequestOptions & { body?: string; signal: AbortSignal },
): Promise<IncomingMessage> {
  const send = url.startsWith('https:') ? requestHttps : requestHttp
  const request = send(url, options)
  const { timeout } = options
  if (timeout !== undefined)
    request.on('timeout', () =>
      request.destroy(new NoResponse(`Nothing was received for ${timeout / 1_000} s.`)),
    )
  const received = recordHead(request)
  try {
    return await responseTo(request, body)
  } catch (error) {
    if (options.signal.aborted) throw options.signal.reason
    if (error instanceof NoResponse || error instanceof AddressRefused) throw error
    const text = received()
    throw new NoResponse(describeFailure(error as NodeJS.ErrnoException, text), text)
  }
}

function responseTo(request: ClientRequest, body: string | undefined): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    let interimResponses = 0
    request.on('response', resolve)
    // Not removed after the response: an error that follows it also ends the response's body.
    request.on('error', reject)
    request.on('information', () => {
      if (++interimResponses > MAX_INTERIM_RESPONSES) request.destroy(new NoResponse(ONLY_INTERIM_RESPONSES))
    })
    request.on('upgrade', (_response, socket) => {
      socket.destroy()
      reject(new NoResponse(SWITCHED_PROTOCOLS))
    })
    request.end(body)
  })
}

/** Returns a function that returns what was received so far. */
function recordHead(request: ClientRequest): () => string {
  const chunks: Buffer[] = []
  let bytes = 0
  request.once('socket', (socket: Socket) => {
    const record = (chunk: Buffer) => {
      if (bytes < MAX_RECORDED_HEAD_BYTES) chunks.push(chunk.subarray(0, MAX_RECORDED_HEAD_BYTES - bytes))
      bytes += chunk.length
    }
    const stop = () => socket.off('data', record)
    // Before the parser's listener, which destroys the socket at the first error.
    socket.prependListener('data', record)
    request.once('response', stop).once('close', stop)
  })
  return () => Buffer.concat(chunks).toString('latin1')
}

const ONLY_INTERIM_RESPONSES = `The receiver sent more than ${MAX_INTERIM_RESPONSES} interim answers (1xx), and no answer.`
const SWITCHED_PROTOCOLS = 'The receiver switched to another protocol (101), which was not asked for.'
const NOT_TRUSTED = 'The certificate of the host is not signed by an authority that is known here.'
const NO_TLS = 'The receiver does not speak TLS. The URL may have to begin with http:.'

const FAILURES: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'The connection was refused.',
  ECONNRESET: 'The connection was reset.',
  EPIPE: 'The connection was reset.',
  ENOTFOUND: 'The name of the host is not known.',
  EAI_AGAIN: 'The name of the host could not be looked up.',
  EHOSTUNREACH: 'The host cannot be reached.',
  ENETUNREACH: 'The network of the host cannot be reached.',
  ETIMEDOUT: 'The connection could not be made in time.',
  HPE_HEADER_OVERFLOW: 'The headers of the answer have more than 16 KiB.',
  CERT_HAS_EXPIRED: 'The certificate of the host has expired.',
  CERT_NOT_YET_VALID: 'The certificate of the host is not valid yet.',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'The certificate of the host is self-signed.',
  SELF_SIGNED_CERT_IN_CHAIN: NOT_TRUSTED,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: NOT_TRUSTED,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: NOT_TRUSTED,
  ERR_TLS_CERT_ALTNAME_INVALID: 'The certificate of the host is of another host.',
  ERR_SSL_WRONG_VERSION_NUMBER: NO_TLS,
  ERR_SSL_PACKET_LENGTH_TOO_LONG: NO_TLS,
}

/** Node reports an OpenSSL error of a write as EPROTO with a message, and of a read as a code, such as ERR_SSL_WRONG_VERSION_NUMBER. */
const OPENSSL_REASON = /:SSL routines:[^:]*:([^:]+):/

/** The first byte of a TLS record, an alert. */
const TLS_ALERT = '\x15'

/** @param received the first bytes from the receiver */
function describeFailure(error: NodeJS.ErrnoException & { reason?: string }, received: string): string {
  // If several addresses were tried, this is the error of the last one.
  const cause: typeof error = error instanceof AggregateError ? error.errors.at(-1) : error
  const { message } = cause
  const reason = cause.code === 'EPROTO' ? OPENSSL_REASON.exec(message)?.[1] : undefined
  const code =
    reason === undefined ? (cause.code ?? '') : `ERR_SSL_${reason.toUpperCase().replaceAll(' ', '_')}`
  // Node reports a connection that closes without a response as ECONNRESET without a system call.
  if (code === 'ECONNRESET' && cause.syscall === undefined)
    return received === ''
      ? 'The connection was closed without an answer.'
      : 'The connection was closed before the answer was complete.'
  const known = FAILURES[code]
  if (known !== undefined) return known
  if (code.startsWith('HPE_')) {
    if (received.startsWith(TLS_ALERT)) return 'The receiver speaks TLS. The URL has to begin with https:.'
    if (!received.startsWith('HTTP/')) return 'The answer is not HTTP.'
    return `The answer is not valid HTTP: ${cause.reason ?? code}.`
  }
  if (code.startsWith('ERR_SSL_')) return `TLS could not be established: ${reason ?? cause.reason ?? code}.`
  return message === '' ? `The request failed: ${code || cause.name}.` : `The request failed: ${message}.`
}
