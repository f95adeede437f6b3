import { setTimeout as pause } from 'node:timers/promises'
import { owned } from '../../kernel/owned-promise.ts'

interface LookoutOptions {
  /** The pause before each look, in milliseconds. */
  everyMs: number
  /** Whether anybody waits for what may be seen. */
  isAwaited: () => boolean
  /** Never rejects. */
  look: () => Promise<void>
}

/** Looks after something again and again, for as long as somebody waits for it: one look at a time, for all of them. */
export class Lookout {
  readonly #options: LookoutOptions
  /** The look that is on, or about to be. */
  #looking: Promise<void> | null = null
  readonly #stopping = new AbortController()

  constructor(options: LookoutOptions) {
    this.#options = options
  }

  /** Nobody looks any more. */
  get hasStopped(): boolean {
    return this.#stopping.signal.aborted
  }

  /** To be called when somebody begins to wait. */
  soon(): void {
    if (this.hasStopped || !this.#options.isAwaited()) return
    this.#looking ??= owned(this.#lookOnce())
  }

  async stop(): Promise<void> {
    this.#stopping.abort()
    await this.#looking
  }

  async #lookOnce(): Promise<void> {
    const { everyMs, isAwaited, look } = this.#options
    await pause(everyMs, undefined, { signal: this.#stopping.signal }).catch(() => {})
    if (!this.hasStopped && isAwaited()) await look()
    this.#looking = null
    this.soon()
  }
}
