import { ApiError } from '../../api/client.ts'
import { pause } from '../../api/pause.ts'
import { AccountChangedError } from './same-account.ts'

const MIN_BACKOFF_MS = 1_000
const MAX_BACKOFF_MS = 15_000
/** Upper bound for Retry-After. */
const MAX_RETRY_AFTER_MS = 300_000

/** Exponential backoff by the number of failures in a row. */
export const backoffMs = (failures: number): number =>
  Math.min(MAX_BACKOFF_MS, MIN_BACKOFF_MS * 2 ** (failures - 1))

/** No response, or a response that allows a retry. */
const isTransient = (error: unknown): boolean =>
  error instanceof ApiError
    ? error.status >= 500 || error.status === 429 || error.status === 408
    : !(error instanceof AccountChangedError)

/** Retries transient errors without a limit. `onProblem` gets the last error. */
export async function retryUntilAnswered<T>(
  send: () => Promise<T>,
  signal: AbortSignal,
  onProblem: (error: unknown) => void,
): Promise<T> {
  for (let failures = 1; ; failures++) {
    signal.throwIfAborted()
    try {
      return await send()
    } catch (error) {
      if (signal.aborted || !isTransient(error)) throw error
      onProblem(error)
      const retryAfter = error instanceof ApiError ? error.retryAfter : null
      const retryAfterMs =
        retryAfter === null
          ? null
          : Math.min(Math.max(retryAfter * 1_000, MIN_BACKOFF_MS), MAX_RETRY_AFTER_MS)
      await pause(retryAfterMs ?? backoffMs(failures), signal)
    }
  }
}
