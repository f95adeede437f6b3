import { MAX_ENDPOINT_PAUSE_MS, MAX_RETRY_AFTER_MS, MIN_ENDPOINT_PAUSE_MS } from './limits.ts'

/** Seconds between the attempts of a delivery, by default. After the last attempt the delivery has failed. */
export const DEFAULT_RETRY_SECONDS = [5, 30, 120, 600, 3_600, 14_400, 36_000, 72_000, 129_600]

/** The pause of an endpoint after several failed attempts in a row: a tenth of the time for which it has been failing. */
export const pauseOf = (failingMs: number): number =>
  Math.min(MAX_ENDPOINT_PAUSE_MS, Math.max(MIN_ENDPOINT_PAUSE_MS, failingMs / 10))

/**
 * Milliseconds until the next attempt. Null if there is none.
 * @param tries attempts so far, from 1
 * @param chance from 0 to 1: jitter of up to a fifth, so that deliveries that failed together are not retried
 *   together
 */
export function retryDelay(
  tries: number,
  { delaysMs, retryAfterMs, chance }: { delaysMs: readonly number[]; retryAfterMs: number; chance: number },
): number | null {
  const delay = delaysMs[tries - 1]
  if (delay === undefined) return null
  return Math.round(Math.max(delay * (0.8 + 0.4 * chance), Math.min(retryAfterMs, MAX_RETRY_AFTER_MS)))
}
