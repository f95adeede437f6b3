import { setTimeout as pause } from 'node:timers/promises'
import type { ClockName } from '../core/records.ts'
import { owned } from '../kernel/owned-promise.ts'
import type { Part } from '../kernel/part.ts'
import { Lookout } from '../platform/concurrency/lookout.ts'
import { Turns } from '../platform/concurrency/turns.ts'
import type { Database } from '../platform/database/database.ts'
import { THE_SERVICE } from '../platform/database/pool/places.ts'
import { findFreeTestClocks } from './test-clock-store.ts'

const LOOK_EVERY_MS = 50

/**
 * Test clocks that are held, by an advance as a rule, and who waits for them: without a connection, and with one small
 * statement for all of them, so that whoever holds a clock of his own holds up nobody else.
 */
export class HeldClocks implements Part {
  readonly #db: Database
  /** By the clock's id. */
  readonly #held = new Map<string, { clock: ClockName; free: Promise<void>; wake: () => void }>()
  readonly #turns = new Turns()
  readonly #lookout = new Lookout({
    everyMs: LOOK_EVERY_MS,
    isAwaited: () => this.#held.size > 0,
    look: () => this.#look(),
  })

  constructor(db: Database) {
    this.#db = db
  }

  /** Who waits goes on, and finds out himself. */
  async stop(): Promise<void> {
    await this.#lookout.stop()
    for (const id of this.#held.keys()) this.#letGo(id)
  }

  /** Resolves when the clock is free or gone, or when that cannot be found out: never rejects. */
  untilFree(clock: ClockName): Promise<void> {
    // Who tries again and again does so at leisure.
    if (this.#lookout.hasStopped) return pause(LOOK_EVERY_MS)
    let held = this.#held.get(clock.id)
    if (!held) {
      const { promise: free, resolve: wake } = Promise.withResolvers<void>()
      held = { clock, free, wake }
      this.#held.set(clock.id, held)
    }
    this.#lookout.soon()
    return held.free
  }

  /** As `untilFree`, for at most so long. */
  async untilFreeWithin(clock: ClockName, longestMs: number): Promise<void> {
    const over = new AbortController()
    const patience = owned(pause(Math.max(longestMs, 0), undefined, { signal: over.signal }))
    try {
      await Promise.race([this.untilFree(clock), patience])
    } finally {
      over.abort()
    }
  }

  /** Works on one clock come one after the other; who waits for longer is refused with the error. */
  inTurn<T>({ userId, id }: ClockName, longestMs: number, late: Error, work: () => Promise<T>): Promise<T> {
    return this.#turns.takeWithin(`${userId} ${id}`, longestMs, late, work)
  }

  async #look(): Promise<void> {
    const asked = [...this.#held.values()].map(({ clock }) => clock)
    // Who waits finds out himself what is wrong.
    const free = await findFreeTestClocks(this.#db.submissions.for(THE_SERVICE), asked).catch(() =>
      asked.map(({ id }) => id),
    )
    for (const id of free) this.#letGo(id)
  }

  #letGo(id: string): void {
    this.#held.get(id)?.wake()
    this.#held.delete(id)
  }
}
