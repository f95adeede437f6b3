import { setTimeout as sleep } from 'node:timers/promises'
import { ReplayFailure } from './failure.ts'

export interface Answer {
  status: number
  /** The parsed JSON; null where the answer has none. */
  body: unknown
  /** As the header Retry-After asks; 0 where it is missing. */
  retryAfterSeconds: number
}

const REQUEST_TIMEOUT_MS = 30_000
/** With the pauses below, about a minute: a service that restarts is waited for. */
const MAX_ATTEMPTS = 16
const MAX_BACKOFF_SECONDS = 5
/** However long an answer asks us to wait. */
const MAX_PAUSE_SECONDS = 120

/** Speaks to the service over HTTP; `fetch` keeps its connections open between requests. */
export class ApiClient {
  /** Requests that were sent again. */
  retries = 0
  readonly #url: string
  readonly #headers: Record<string, string>
  #wasReached = false

  constructor(url: string, token: string) {
    this.#url = url
    this.#headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' }
  }

  /**
   * The answer, whatever its status, but for 429 and 503: those and lost connections are tried again. Hence
   * only for requests that may be repeated. @throws ReplayFailure when that does not help, and on 401.
   */
  async send(method: 'GET' | 'POST', path: string, body?: unknown, stop?: AbortSignal): Promise<Answer> {
    for (let attempt = 1; ; attempt++) {
      const answer = await this.#attempt(method, path, body, stop)
      if (answer instanceof Error) {
        // A first request that reaches nobody is a mistyped URL rather than a passing disturbance.
        if (!this.#wasReached || attempt === MAX_ATTEMPTS) throw this.#unreachable(answer)
      } else {
        this.#wasReached = true
        if (answer.status === 401) {
          throw new ReplayFailure(`the service does not accept the token: ${describeError(answer)}`)
        }
        if (![429, 503].includes(answer.status) || attempt === MAX_ATTEMPTS) return answer
      }
      this.retries++
      await sleep(pauseSeconds(attempt, answer) * 1000, undefined, stop && { signal: stop })
    }
  }

  /** An error in place of an answer where there was none. */
  async #attempt(method: string, path: string, body: unknown, stop?: AbortSignal): Promise<Answer | Error> {
    const timeout = AbortSignal.timeout(REQUEST_TIMEOUT_MS)
    try {
      const response = await fetch(this.#url + path, {
        method,
        headers: this.#headers,
        signal: stop ? AbortSignal.any([stop, timeout]) : timeout,
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      })
      return {
        status: response.status,
        body: parseJson(await response.text()),
        retryAfterSeconds: readRetryAfter(response.headers.get('Retry-After')),
      }
    } catch (error) {
      if (stop?.aborted) throw error
      return error as Error
    }
  }

  #unreachable(error: Error): ReplayFailure {
    const cause = (error.cause ?? error) as NodeJS.ErrnoException
    const again = this.#wasReached ? ` after ${MAX_ATTEMPTS} attempts` : ''
    return new ReplayFailure(
      `${this.#url} cannot be reached${again} (${cause.code ?? cause.message}); is the service running there?`,
    )
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

/** Seconds, or the date that the header may hold instead. */
function readRetryAfter(header: string | null): number {
  if (!header) return 0
  const seconds = /^\d+$/.test(header) ? Number(header) : (Date.parse(header) - Date.now()) / 1000
  return Number.isNaN(seconds) ? 0 : Math.max(seconds, 0)
}

function pauseSeconds(attempt: number, answer: Answer | Error): number {
  const backoff = Math.min(0.25 * 2 ** (attempt - 1), MAX_BACKOFF_SECONDS)
  const asked = answer instanceof Error ? 0 : answer.retryAfterSeconds
  return Math.min(Math.max(backoff, asked), MAX_PAUSE_SECONDS)
}

interface ErrorBody {
  error?: { code?: string; message?: string; details?: { path: string; message: string }[] }
}

export const errorCode = ({ body }: Answer): string | undefined => (body as ErrorBody | null)?.error?.code

/** The message of an error, and a line for each detail that the message does not contain. */
export function describeError({ status, body }: Answer): string {
  const error = (body as ErrorBody | null)?.error
  if (!error?.code) return `${status} without an error body; is Claimkeeper what runs at that URL?`
  const details = (error.details ?? []).map(({ path, message }) => `${path}: ${message}`)
  const otherDetails = details.filter((detail) => !error.message?.includes(detail))
  return [`${status} ${error.code}: ${error.message}`, ...otherDetails].join('\n  ')
}
