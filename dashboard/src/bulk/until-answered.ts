import { ApiError } from '../api/client.ts'
import { pause } from '../pause.ts'
import { OtherAccount } from './same-account.ts'

const FIRST_PAUSE_MS = 1_000
const LONGEST_PAUSE_MS = 15_000
/** However long somebody on the way says. */
const LONGEST_TOLD_MS = 300_000

/** How long to wait after so many failures in a row, if nobody says. */
export const pauseAfter = (failures: number): number =>
  Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (failures - 1))

/** No answer came, or one that says that the service cannot answer now: asked again, it may. */
const isPassing = (error: unknown): boolean =>
  error instanceof ApiError
    ? error.status >= 500 || error.status === 429 || error.status === 408
    : !(error instanceof OtherAccount)

/** Asks again and again. `onTrouble` gets what the last try failed with. */
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
