/**
 * Polls for all waiting callers together, for as long as a caller waits.
 *
 * Why: a caller that polls by itself costs a statement each time. One statement answers all waiting callers.
 * States: idle (nobody waits), waiting for the next poll, polling, stopped.
 * Invariants: at most one poll at a time. No timer runs while nobody waits. After `stop`, no poll begins.
 * Limits: a change is seen after `intervalMs` plus the time of one poll.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { withRejectionHandler } from '../../kernel/promises.ts'

interface PollerOptions {
  /** Milliseconds before each poll. */
  intervalMs: number
  /** Whether a caller waits. */
  isNeeded: () => boolean
  /** Must not reject. */
  poll: () => Promise<void>
}

export class Poller {
  readonly #options: PollerOptions
  /** The poll that is scheduled or running. */
  #polling: Promise<void> | null = null
  readonly #stopping = new AbortController()

  constructor(options: PollerOptions) {
    this.#options = options
  }

  get isStopped(): boolean {
    return this.#stopping.signal.aborted
  }

  /** Call when a caller begins to wait. */
  wake(): void {
    if (this.isStopped || !this.#options.isNeeded()) return
    this.#polling ??= withRejectionHandler(this.#pollOnce())
  }

  async stop(): Promise<void> {
    this.#stopping.abort()
    await this.#polling
  }

  async #pollOnce(): Promise<void> {
    const { intervalMs, isNeeded, poll } = this.#options
    await sleep(intervalMs, undefined, { signal: this.#stopping.signal }).catch(() => {})
    if (!this.isStopped && isNeeded()) await poll()
    this.#polling = null
    this.wake()
  }
}
