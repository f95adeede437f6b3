import type { Parent } from './traceparent.ts'

/** Requests a second that are traced since their callers say so, and how many may come at once. */
const OF_CALLERS_A_SECOND = 10
const OF_CALLERS_AT_ONCE = 20

/**
 * Which requests are traced: a share of those that begin a trace; of others those whose callers record theirs, too, and none
 * else. A caller may claim that of each, and choose the ids: so it gets no more than a few a second beyond the share, and
 * no id decides anything.
 */
export class Sampling {
  readonly #share: number
  #left = OF_CALLERS_AT_ONCE
  #leftAt: number

  /** @param share from 0 to 1 */
  constructor(share: number, now = performance.now()) {
    this.#share = share
    this.#leftAt = now
  }

  takes(parent: Parent | null, now = performance.now()): boolean {
    if (parent?.isSampled === false) return false
    if (Math.random() < this.#share) return true
    return parent !== null && this.#takeOfCallers(now)
  }

  #takeOfCallers(now: number): boolean {
    const gained = ((now - this.#leftAt) / 1_000) * OF_CALLERS_A_SECOND
    this.#left = Math.min(OF_CALLERS_AT_ONCE, this.#left + gained)
    this.#leftAt = now
    if (this.#left < 1) return false
    this.#left--
    return true
  }
}
