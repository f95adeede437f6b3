import { FairLine } from '../platform/concurrency/fair-line.ts'
import { tooManyAttempts } from './attempts.ts'

/** Somebody without a token. */
export interface Caller {
  /** Where from. */
  address: string
  /** Nobody waits for the answer any more. */
  isGone: () => boolean
}

interface Bounds {
  /** That are inside at the same time. */
  atOnce: number
  /** That wait at most, from all addresses and from one. */
  waiting: number
  waitingOfOne: number
  patienceMs: number
}

interface Waiting {
  caller: Caller
  since: number
  enter: () => void
  refuse: () => void
}

/**
 * Where strangers come in: a few at once; the others wait in a line that is bounded in number and time, addresses by
 * turns. Who is refused here has cost nothing but this.
 */
export class Doorway {
  readonly #bounds: Bounds
  readonly #line = new FairLine<Waiting>()
  #inside = 0

  constructor(bounds: Bounds) {
    this.#bounds = bounds
  }

  /** @throws RATE_LIMITED at once if too many wait, or if the turn does not come in time */
  async pass<T>(caller: Caller, work: () => Promise<T>): Promise<T> {
    if (this.#inside < this.#bounds.atOnce && this.#line.length === 0) this.#inside++
    else await this.#wait(caller)
    try {
      return await work()
    } finally {
      this.#inside--
      this.#letIn()
    }
  }

  #wait(caller: Caller): Promise<void> {
    const { waiting, waitingOfOne, patienceMs } = this.#bounds
    const isFull = this.#line.length >= waiting || this.#line.lengthOf(caller.address) >= waitingOfOne
    if (isFull) throw this.#refusal()
    return new Promise((resolve, reject) => {
      const since = performance.now()
      const timer = setTimeout(() => this.#refuseLate(), patienceMs)
      const settled = (settle: () => void) => () => {
        clearTimeout(timer)
        settle()
      }
      const enter = settled(resolve)
      const refuse = settled(() => reject(this.#refusal()))
      this.#line.add(caller.address, { caller, since, enter, refuse })
    })
  }

  #letIn(): void {
    while (this.#inside < this.#bounds.atOnce) {
      const next = this.#line.take(() => true)
      if (!next) return
      if (next.item.caller.isGone()) {
        next.item.refuse()
        continue
      }
      this.#inside++
      next.item.enter()
    }
  }

  /** A timer may be early by a part of a millisecond. */
  #refuseLate(): void {
    const before = performance.now() - this.#bounds.patienceMs + 1
    for (const { refuse } of this.#line.removeWhile(({ since }) => since <= before)) refuse()
  }

  #refusal(): Error {
    return tooManyAttempts(Math.ceil(this.#bounds.patienceMs / 4_000))
  }
}
