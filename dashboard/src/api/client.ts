import { withIdempotencyKey } from './idempotency-keys.ts'
import { isGiven } from './metadata-filters.ts'
import { updateServerTime } from './server-time.ts'

export interface ErrorDetail {
  path: string
  message: string
}

/** An error response of the service (§7). */
export class ApiError extends Error {
  readonly status: number
  readonly code: string
  /** Problems by the path of the field, such as `contract.price`. */
  readonly details: readonly ErrorDetail[]
  readonly requestId: string | null
  /** Seconds from the Retry-After header, if there is one. */
  readonly retryAfter: number | null

  constructor(
    status: number,
    code: string,
    message: string,
    details: ErrorDetail[],
    requestId: string | null,
    retryAfter: number | null,
  ) {
    super(message)
    this.status = status
    this.code = code
    this.details = details
    this.requestId = requestId
    this.retryAfter = retryAfter
  }
}

/** There was no response from the service, so the outcome of the request is unknown. */
export class NetworkError extends Error {}

/** A proxy answered in place of the service, for example with a login page. */
export const unexpectedResponse = () => new NetworkError('The response did not come from the service.')

/** A record with its ETag, for `If-Match`. Records of lists have no ETag. */
export type Tagged<Kind> = Kind & { etag?: string }

/** In characters. The service accepts 16 KiB of headers, and the browser adds headers of its own. */
export const MAX_QUERY_LENGTH = 12 * 1024

export type Query = Record<string, string | number | boolean | null | undefined>

/** The path with the query parameters that have a value. */
export function withQuery(path: string, query: Query): string {
  const given = Object.entries(query).filter(isGiven)
  const text = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString()
  return text ? `${path}?${text}` : path
}

/** Twice the longest statement timeout of the service. */
const READ_TIMEOUT_MS = 60_000

export function get<T>(path: string, query: Query = {}, signal?: AbortSignal): Promise<T> {
  const timeout = AbortSignal.timeout(READ_TIMEOUT_MS)
  return send<T>(
    'GET',
    withQuery(path, query),
    undefined,
    signal ? AbortSignal.any([signal, timeout]) : timeout,
  )
}

/** The session API has no idempotency keys, and passwords must not be kept. */
export const post = <T>(path: string, body: unknown = {}): Promise<T> =>
  path.startsWith('/v1/') ? sendOnce<T>('POST', path, body) : send<T>('POST', path, body)

/** For requests that are idempotent by their body, for example by event ids. */
export const postIdempotent = <T>(path: string, body: unknown, signal: AbortSignal): Promise<T> =>
  send<T>('POST', path, body, signal)

/**
 * Without a base, the request is idempotent and needs no key.
 * @param base sent as If-Match: the service answers 412 if the record has changed since
 */
export const patch = <T>(path: string, body: unknown, base: Tagged<object> = {}): Promise<T> =>
  base.etag === undefined
    ? send<T>('PATCH', path, body)
    : sendOnce<T>('PATCH', path, body, { 'If-Match': base.etag })

/** When the response to a deletion was lost, by path. */
const unconfirmedDeletions = new Map<string, number>()
/** Later, another account may be signed in, which gets 404 in any case. */
const UNCONFIRMED_DELETION_MS = 60_000

/**
 * A 404 after a lost response counts as success: the first attempt deleted the record.
 * @param base as of `patch`
 */
export async function remove(path: string, base: Tagged<object> = {}): Promise<void> {
  const headers: Record<string, string> = base.etag === undefined ? {} : { 'If-Match': base.etag }
  try {
    await send<void>('DELETE', path, undefined, undefined, headers)
  } catch (error) {
    if (isOutcomeUnknown(error)) unconfirmedDeletions.set(path, performance.now())
    const since = performance.now() - (unconfirmedDeletions.get(path) ?? Number.NEGATIVE_INFINITY)
    if (since > UNCONFIRMED_DELETION_MS || !isNotFound(error)) throw error
  }
  unconfirmedDeletions.delete(path)
}

/** A proxy may also answer 404, but not with this code. */
const isNotFound = (error: unknown): boolean =>
  error instanceof ApiError && error.status === 404 && error.code.endsWith('_NOT_FOUND')

/** Whether the outcome of a request is unknown. */
export const isOutcomeUnknown = (error: unknown): boolean =>
  !(error instanceof ApiError) || error.status >= 500

/** The record has changed since `base` was read, and the request did nothing. */
export const isPreconditionFailed = (error: unknown): boolean =>
  error instanceof ApiError && error.code === 'PRECONDITION_FAILED'

/** Opens a response that is read as a stream until the signal aborts. */
export async function open(
  path: string,
  query: Query,
  accept: string,
  signal: AbortSignal,
): Promise<ReadableStream<Uint8Array<ArrayBuffer>>> {
  const response = await request('GET', withQuery(path, query), undefined, signal, { Accept: accept })
  if (response.ok && response.body) return response.body
  throw toApiError(response, await readAnswer(response))
}

/** Attempts while the service is still processing the first request with the same key. */
const MAX_ATTEMPTS = 5
const RETRY_INTERVAL_MS = 1_000
/** The response is then taken for lost. An advance of a test clock may take 30 s. */
const RESPONSE_TIMEOUT_MS = 120_000

function sendOnce<T>(
  method: string,
  path: string,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<T> {
  const sendWith = async (key: string): Promise<T> => {
    for (let attempt = 1; ; attempt++) {
      try {
        const timeout = AbortSignal.timeout(RESPONSE_TIMEOUT_MS)
        return await send<T>(method, path, body, timeout, { ...headers, 'Idempotency-Key': key })
      } catch (error) {
        if (!isInProgress(error) || attempt === MAX_ATTEMPTS) throw error
      }
      await new Promise((resolve) => setTimeout(resolve, RETRY_INTERVAL_MS))
    }
  }
  return withIdempotencyKey(`${method} ${path}`, JSON.stringify([headers, body]), sendWith, isOutcomeKnown)
}

const isInProgress = (error: unknown): boolean =>
  error instanceof ApiError && error.code === 'IDEMPOTENCY_KEY_IN_USE'

/** Statuses that the service answers after it has looked up the key, or for an invalid request. */
const STATUSES_WITH_KNOWN_OUTCOME = [400, 404, 409, 410, 412, 422]

/** Other errors say nothing about an earlier attempt: rate limits, an ended session, an unavailable server. */
const isOutcomeKnown = (error: unknown): boolean =>
  error instanceof ApiError && STATUSES_WITH_KNOWN_OUTCOME.includes(error.status) && !isInProgress(error)

async function send<T>(
  method: string,
  path: string,
  body?: unknown,
  signal?: AbortSignal,
  headers: Record<string, string> = {},
): Promise<T> {
  const response = await request(method, path, body, signal, headers)
  updateServerTime(response.headers.get('date'))
  const answer = await readAnswer(response)
  if (!response.ok) throw toApiError(response, answer)
  // A compressing proxy makes the ETag weak, and a weak ETag never matches.
  const etag = response.headers.get('etag')?.replace(/^W\//, '')
  return (etag === undefined ? answer : { ...(answer as object), etag }) as T
}

/** A proxy may answer an error in any format. A success is JSON from the service. */
async function readAnswer(response: Response): Promise<unknown> {
  const isJson = response.headers.get('content-type')?.includes('json') ?? false
  if (!isJson && response.ok && response.status !== 204) throw unexpectedResponse()
  try {
    const text = await response.text()
    return isJson && text ? JSON.parse(text) : null
  } catch (error) {
    if (isAbort(error)) throw error
    throw new NetworkError('The response was cut off.', { cause: error })
  }
}

const isAbort = (error: unknown): boolean => error instanceof DOMException && error.name === 'AbortError'

async function request(
  method: string,
  path: string,
  body: unknown,
  signal?: AbortSignal,
  headers: Record<string, string> = {},
): Promise<Response> {
  try {
    return await fetch(path, {
      method,
      credentials: 'same-origin',
      ...(body === undefined
        ? { headers }
        : { headers: { 'Content-Type': 'application/json', ...headers }, body: JSON.stringify(body) }),
      ...(signal ? { signal } : {}),
    })
  } catch (error) {
    if (signal?.aborted && isAbort(error)) throw error
    throw new NetworkError('The service cannot be reached.', { cause: error })
  }
}

interface ErrorBody {
  error?: { code: string; message: string; request_id: string; details?: ErrorDetail[] }
  /** The session API sends errors in this form. */
  message?: string
  code?: string
}

function toApiError({ status, statusText, headers }: Response, answer: unknown): ApiError {
  const { error, message, code } = (answer ?? {}) as ErrorBody
  const ownError = typeof error?.code === 'string' ? error : null
  const shown = ownError ?? { code: code ?? String(status), message: message ?? `${status} ${statusText}` }
  const { details = [], request_id = null } = ownError ?? {}
  // A proxy may send a date.
  const retryAfter = /^\d{1,5}$/.exec(headers.get('retry-after') ?? '')
  return new ApiError(
    status,
    shown.code,
    shown.message,
    details,
    request_id,
    retryAfter && Number(retryAfter[0]),
  )
}

/** The messages of an error, by path, for the fields of a form. */
export function errorsByPath(error: unknown): Record<string, string> {
  if (!(error instanceof ApiError)) return {}
  return Object.fromEntries(
    error.details.map(({ path, message }) => [path, `${message[0]?.toUpperCase()}${message.slice(1)}`]),
  )
}
