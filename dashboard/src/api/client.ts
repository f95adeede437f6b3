import { isGiven } from './metadata-filters.ts'
import { once } from './once.ts'
import { noteServerTime } from './server-time.ts'

export interface ErrorDetail {
  path: string
  message: string
}

/** An error that the service answered (§7). */
export class ApiError extends Error {
  readonly status: number
  readonly code: string
  /** What is wrong, by the path of the field: `contract.price`. */
  readonly details: readonly ErrorDetail[]
  readonly requestId: string | null
  /** After so many seconds it may be sent again, if the service said so. */
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

/** No answer came, or none of the service's: what came of the request is not known. */
export class NetworkError extends Error {}

/** Somebody on the way answered, such as a proxy with a page of its own. */
export const strangeAnswer = () => new NetworkError('The answer was not the service’s.')

/** A record with its ETag: what is changed of it can be held to what was read. Not of lists. */
export type Tagged<Kind> = Kind & { etag?: string }

/** In characters. Behind a longer one the browser's own lines may not fit into the 16 KiB that the service takes before a body. */
export const LONGEST_QUERY = 12 * 1024

export type Query = Record<string, string | number | boolean | null | undefined>

/** The path with those parameters of the query that have a value. */
export function withQuery(path: string, query: Query): string {
  const given = Object.entries(query).filter(isGiven)
  const text = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString()
  return text ? `${path}?${text}` : path
}

/** The service answers what it is asked sooner, or not any more: no statement of it takes half as long. */
const LONGEST_READ_MS = 60_000

export function get<T>(path: string, query: Query = {}, signal?: AbortSignal): Promise<T> {
  const patience = AbortSignal.timeout(LONGEST_READ_MS)
  return send<T>(
    'GET',
    withQuery(path, query),
    undefined,
    signal ? AbortSignal.any([signal, patience]) : patience,
  )
}

/** Signing in and the like know no keys, and what they send is not to be kept. */
export const post = <T>(path: string, body: unknown = {}): Promise<T> =>
  path.startsWith('/v1/') ? sendOnce<T>('POST', path, body) : send<T>('POST', path, body)

/** What is done once by what is in the body, such as the ids of events: it needs no key. */
export const postAgain = <T>(path: string, body: unknown, signal: AbortSignal): Promise<T> =>
  send<T>('POST', path, body, signal)

/**
 * Without a base it sets what it says, however often and whatever was there: so it needs no key.
 * @param base what it is a change of, if it is to be done to that alone; else the answer is 412
 */
export const patch = <T>(path: string, body: unknown, base: Tagged<object> = {}): Promise<T> =>
  base.etag === undefined
    ? send<T>('PATCH', path, body)
    : sendOnce<T>('PATCH', path, body, { 'If-Match': base.etag })

/** When the answer to a deletion was lost, so that it is not known whether it was done. */
const perhapsDeleted = new Map<string, number>()
/** Later somebody else may be signed in, to whom it is not there in any case. */
const DOUBTFUL_MS = 60_000

/**
 * Pressed again after an answer was lost, it may find nothing more to delete: then it is done.
 * @param base as of `patch`
 */
export async function remove(path: string, base: Tagged<object> = {}): Promise<void> {
  const headers: Record<string, string> = base.etag === undefined ? {} : { 'If-Match': base.etag }
  try {
    await send<void>('DELETE', path, undefined, undefined, headers)
  } catch (error) {
    if (isLost(error)) perhapsDeleted.set(path, performance.now())
    const since = performance.now() - (perhapsDeleted.get(path) ?? Number.NEGATIVE_INFINITY)
    if (since > DOUBTFUL_MS || !isNotThere(error)) throw error
  }
  perhapsDeleted.delete(path)
}

/** Somebody on the way may answer 404 too, but not with this code. */
const isNotThere = (error: unknown): boolean =>
  error instanceof ApiError && error.status === 404 && error.code.endsWith('_NOT_FOUND')

/** Whether it is not known what came of a request. */
export const isLost = (error: unknown): boolean => !(error instanceof ApiError) || error.status >= 500

/** It is not as `base` says any more, and nothing was done. */
export const isChangedSince = (error: unknown): boolean =>
  error instanceof ApiError && error.code === 'PRECONDITION_FAILED'

/** An answer that is read as it comes: its body goes on for as long as the signal lets it. */
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

/** How often it is asked what came of a request that is still being answered. */
const MOST_ASKS = 5
const ASK_EVERY_MS = 1_000
/** After so long the answer is taken for lost: an advance may take half a minute. */
const LONGEST_ANSWER_MS = 120_000

function sendOnce<T>(
  method: string,
  path: string,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<T> {
  const sendWith = async (key: string): Promise<T> => {
    for (let asks = 1; ; asks++) {
      try {
        const patience = AbortSignal.timeout(LONGEST_ANSWER_MS)
        return await send<T>(method, path, body, patience, { ...headers, 'Idempotency-Key': key })
      } catch (error) {
        if (!isBeingAnswered(error) || asks === MOST_ASKS) throw error
      }
      await new Promise((resolve) => setTimeout(resolve, ASK_EVERY_MS))
    }
  }
  return once(`${method} ${path}`, JSON.stringify([headers, body]), sendWith, isSettled)
}

const isBeingAnswered = (error: unknown): boolean =>
  error instanceof ApiError && error.code === 'IDEMPOTENCY_KEY_IN_USE'

/** What is answered by whoever has looked at the key, or of what is wrong with the request itself. */
const SETTLING = [400, 404, 409, 410, 412, 422]

/** Other answers tell nothing of what an earlier try did: too many requests, a session that is over, a server that is away. */
const isSettled = (error: unknown): boolean =>
  error instanceof ApiError && SETTLING.includes(error.status) && !isBeingAnswered(error)

async function send<T>(
  method: string,
  path: string,
  body?: unknown,
  signal?: AbortSignal,
  headers: Record<string, string> = {},
): Promise<T> {
  const response = await request(method, path, body, signal, headers)
  noteServerTime(response.headers.get('date'))
  const answer = await readAnswer(response)
  if (!response.ok) throw toApiError(response, answer)
  // Who compresses on the way makes it a weak one, which would never match.
  const etag = response.headers.get('etag')?.replace(/^W\//, '')
  return (etag === undefined ? answer : { ...(answer as object), etag }) as T
}

/** An error may come from somebody on the way; what is done, only the service says, and in JSON. */
async function readAnswer(response: Response): Promise<unknown> {
  const isJson = response.headers.get('content-type')?.includes('json') ?? false
  if (!isJson && response.ok && response.status !== 204) throw strangeAnswer()
  try {
    const text = await response.text()
    return isJson && text ? JSON.parse(text) : null
  } catch (error) {
    if (isAbort(error)) throw error
    throw new NetworkError('The answer was cut off.', { cause: error })
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
  /** Of the session API. */
  message?: string
  code?: string
}

function toApiError({ status, statusText, headers }: Response, answer: unknown): ApiError {
  const { error, message, code } = (answer ?? {}) as ErrorBody
  const own = typeof error?.code === 'string' ? error : null
  const told = own ?? { code: code ?? String(status), message: message ?? `${status} ${statusText}` }
  const { details = [], request_id = null } = own ?? {}
  // It may be a date too, from whoever is on the way.
  const retryAfter = /^\d{1,5}$/.exec(headers.get('retry-after') ?? '')
  return new ApiError(
    status,
    told.code,
    told.message,
    details,
    request_id,
    retryAfter && Number(retryAfter[0]),
  )
}

/** What is wrong with each field, for a form: message by path. */
export function errorsByPath(error: unknown): Record<string, string> {
  if (!(error instanceof ApiError)) return {}
  return Object.fromEntries(
    error.details.map(({ path, message }) => [path, `${message[0]?.toUpperCase()}${message.slice(1)}`]),
  )
}
