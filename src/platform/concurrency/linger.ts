import {
  LINGER_FAILURE_SHARE,
  LINGER_SHARE,
  MAX_LINGER_KEYS,
  MAX_LINGER_MS,
  MAX_LINGER_SKIPS,
  MIN_LINGER_KEYS,
} from './limits.ts'

/**
 * The linger of a batcher: how long the next batch waits for the callers that were just answered.
 *
 * Why: on distributed tables a batch of a few keys costs about as much as one of dozens, and most callers send again as soon as
 * they are answered.
 * States: no linger, or a linger with a number of keys and a deadline. The linger ends when enough keys are ready, or at the
 * deadline.
 * Invariants: a deadline is never moved to a later time. After a linger that gained too few keys the next batches skip
 * theirs: 1, 3, 7, 15, then 31.
 */
export class Linger {
  #current: { keys: number; until: number } | null = null
  #skipsAfterFailure = 0
  #skipsLeft = 0

  /**
   * A batch has returned.
   * @param answered its keys that have no queued item
   * @param ready the keys that are ready
   */
  begin(answered: number, ready: number, tookMs: number, now: number): void {
    if (this.#current && now >= this.#current.until && ready === 0) this.end(0)
    const until = Math.min(now + Math.min(tookMs, MAX_LINGER_MS), this.#current?.until ?? Infinity)
    this.#current = null
    if (answered + ready < MIN_LINGER_KEYS) return
    if (this.#skipsLeft > 0) this.#skipsLeft--
    else this.#current = { keys: Math.min(LINGER_SHARE * (answered + ready), MAX_LINGER_KEYS), until }
  }

  /** The time until which this number of ready keys waits; null if the keys need not wait. */
  deadline(ready: number, now: number): number | null {
    if (!this.#current || ready >= this.#current.keys || now >= this.#current.until) return null
    return this.#current.until
  }

  /** The ready keys start now. */
  end(ready: number): void {
    if (!this.#current) return
    const hasFailed = ready < LINGER_FAILURE_SHARE * this.#current.keys
    this.#skipsAfterFailure = hasFailed ? Math.min(2 * this.#skipsAfterFailure + 1, MAX_LINGER_SKIPS) : 0
    this.#skipsLeft = this.#skipsAfterFailure
    this.#current = null
  }
}
