import type { Connection } from '../platform/database/connection.ts'
import { readOverdueLag } from './lag-store.ts'

/** For how long claims have been due, as this process knows it. */
export class Overdue {
  #measured = { seconds: 0, at: performance.now() }
  #isCheckOn = false

  /** Scheduled checks, one after the other as long as there is more to do. */
  async during(db: Connection, checks: () => Promise<void>): Promise<void> {
    // If it cannot be measured, the checks will tell why.
    await this.#measure(db).catch(() => {})
    this.#isCheckOn = true
    try {
      await checks()
    } finally {
      this.#isCheckOn = false
    }
  }

  /**
   * Of the claim that has been due longest; 0 if none is. While a check is on, the most that it can be, for then it costs too
   * much to ask: what was measured before, and all the time since.
   */
  async seconds(db: Connection): Promise<number> {
    if (!this.#isCheckOn) await this.#measure(db)
    const { seconds, at } = this.#measured
    return this.#isCheckOn ? seconds + (performance.now() - at) / 1_000 : seconds
  }

  async #measure(db: Connection): Promise<void> {
    const at = performance.now()
    this.#measured = { seconds: await readOverdueLag(db), at }
  }
}
