import { setTimeout as sleep } from 'node:timers/promises'
import type { TestClockReference } from '../core/records.ts'
import { withRejectionHandler } from '../kernel/promises.ts'
import type { Lifecycle } from '../kernel/start-stop.ts'
import { KeyedMutex } from '../platform/concurrency/keyed-mutex.ts'
import { Poller } from '../platform/concurrency/poller.ts'
import type { Database } from '../platform/database/database.ts'
import { SERVICE_ACCOUNT } from '../platform/database/pool/pooled-connection.ts'
import { LOCK_POLL_INTERVAL_MS } from './limits.ts'
import { findFreeTestClocks } from './test-clock-store.ts'

/**
 * Waits for test clocks that a transaction has locked, mostly an advance. Waiting costs no connection, and one statement
 * polls all locked clocks: an account that locks its own clocks for long does not slow down other accounts.
 */
export class LockedClocks implements Lifecycle {
  readonly #db: Database
  /** By the id of the clock. */
  readonly #locked = new Map<string, { clock: TestClockReference; free: Promise<void>; wake: () => void }>()
  readonly #mutex = new KeyedMutex()
  readonly #poller = new Poller({
    intervalMs: LOCK_POLL_INTERVAL_MS,
    isNeeded: () => this.#locked.size > 0,
    poll: () => this.#poll(),
  })

  constructor(db: Database) {
    this.#db = db
  }

  /** Wakes all waiting callers. */
  async stop(): Promise<void> {
    await this.#poller.stop()
    for (const id of this.#locked.keys()) this.#wake(id)
  }

  /** Resolves when the clock is free or deleted, or if the poll fails: the caller must try again. Never rejects. */
  untilFree(clock: TestClockReference): Promise<void> {
    // A caller that retries after the stop must not spin.
    if (this.#poller.isStopped) return sleep(LOCK_POLL_INTERVAL_MS)
    let locked = this.#locked.get(clock.id)
    if (!locked) {
      const { promise: free, resolve: wake } = Promise.withResolvers<void>()
      locked = { clock, free, wake }
      this.#locked.set(clock.id, locked)
    }
    this.#poller.wake()
    return locked.free
  }

  /** As `untilFree`, for at most `timeoutMs`. */
  async untilFreeWithin(clock: TestClockReference, timeoutMs: number): Promise<void> {
    const cancel = new AbortController()
    const timeout = withRejectionHandler(sleep(Math.max(timeoutMs, 0), undefined, { signal: cancel.signal }))
    try {
      await Promise.race([this.untilFree(clock), timeout])
    } finally {
      cancel.abort()
    }
  }

  /** Runs tasks of one clock one after the other. A task that has not started in time is rejected with the error. */
  runExclusive<T>(
    { userId, id }: TestClockReference,
    task: () => Promise<T>,
    timeout: { timeoutMs: number; error: () => Error },
  ): Promise<T> {
    return this.#mutex.runExclusive(`${userId} ${id}`, task, timeout)
  }

  async #poll(): Promise<void> {
    const clocks = [...this.#locked.values()].map(({ clock }) => clock)
    // If the poll fails, the callers try again and get the error.
    const free = await findFreeTestClocks(this.#db.submissions.for(SERVICE_ACCOUNT), clocks).catch(() =>
      clocks.map(({ id }) => id),
    )
    for (const id of free) this.#wake(id)
  }

  #wake(id: string): void {
    this.#locked.get(id)?.wake()
    this.#locked.delete(id)
  }
}
