/** From the beginning of the connection to the end of the answer. */
export const ATTEMPT_TIMEOUT_MS = 15_000

/** What came of an attempt. */
export interface SentAnswer {
  durationMs: number
  /** Null if there was none. */
  status: number | null
  /** Its beginning. */
  answer: string | null
  /** Why it counts as failed, in words; null if it does not. */
  error: string | null
  /** What the answer asks to wait, in milliseconds; 0 for nothing. */
  retryAfterMs: number
}
