import { ApiError } from '../../api/client.ts'
import { pause } from '../../api/pause.ts'
import { OtherAccount } from './same-account.ts'

const FIRST_PAUSE_MS = 1_000
const LONGEST_PAUSE_MS = 15_000
/** Upper bound for Retry-After. */
const LONGEST_TOLD_MS = 300_000

/** Exponential backoff by the number of failures in a row. */
export const pauseAfter = (failures: number): number =>
  Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (failures - 1))

/** No response, or a response that allows a retry. */
const isPassing = (error: unknown): boolean =>
  error instanceof ApiError
    ? error.status >= 500 || error.status === 429 || error.status === 408
    : !(error instanceof OtherAccount)

/** Retries transient errors without a limit. `onTrouble` gets the last error. */
export async function untilAnswered<T>(
  ask: () => Promise<T>,
  signal: AbortSignal,
  onTrouble: (error: unknown) => void,
): Promise<T> {
  for (let failures = 1; ; failures++) {
    signal.throwIfAborted()
    try {
      return await ask()
    } catch (error) {
      if (signal.aborted || !isPassing(error)) throw error
      onTrouble(error)
      const told = error instanceof ApiError ? error.retryAfter : null
      const toldMs = told === null ? null : Math.min(Math.max(told * 1_000, FIRST_PAUSE_MS), LONGEST_TOLD_MS)
      await pause(toldMs ?? pauseAfter(failures), signal)
    }
  }
}
