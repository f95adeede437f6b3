import type { Connection } from '../../storage/database/connection.ts'
import { readOverdueLag } from '../../storage/operating/lags.ts'

/** For how long claims have been due, as this process knows it. */
export class Overdue {
  #lastSeconds = 0
  /** By performance.now(), in milliseconds; null while no check is on. */
  #checksSince: number | null = null

  /** Scheduled checks, one after the other as long as there is more to do. */
  async during(checks: () => Promise<void>): Promise<void> {
    this.#checksSince = performance.now()
    try {
      await checks()
    } finally {
      this.#checksSince = null
    }
  }

  /**
   * Of the claim that has been due longest; 0 if none is. While a check is on, the most that it can be, for then it costs too
   * much to ask: what was found before it, or for as long as it has been on.
   */
  async seconds(db: Connection): Promise<number> {
    if (this.#checksSince !== null)
      return Math.max(this.#lastSeconds, (performance.now() - this.#checksSince) / 1_000)
    this.#lastSeconds = await readOverdueLag(db)
    return this.#lastSeconds
  }
}
