import { NIL as FIRST_ID } from 'uuid'
import { readClock } from '../../storage/database/clock.ts'
import { listAccounts, removeNotifications } from '../../storage/notifications/removal.ts'
import type { App } from '../app.ts'
import { letSubmissionsPass } from '../let-submissions-pass.ts'

const DAY_MS = 24 * 3_600_000
/** Accounts that are read at a time. */
const ACCOUNTS = 1_000

/** Removes what has been kept for long enough, account by account, in small batches. Safe with any number of servers. */
export class OldNotifications {
  readonly #app: App
  readonly #keptMs: number
  #accounts: string[] = []
  /** All up to this one were looked at. */
  #last: string = FIRST_ID

  constructor(app: App, keptDays: number) {
    this.#app = app
    this.#keptMs = keptDays * DAY_MS
  }

  /**
   * Goes on where it was, and once round at most. Returns how many were removed.
   * @param isOver asked after each batch
   */
  async removeSome(isOver: () => boolean): Promise<number> {
    const db = this.#app.db.checks
    const before = new Date((await readClock(db)).getTime() - this.#keptMs)
    let removed = 0
    while (!isOver()) {
      const userId = this.#accounts[0] ?? (await this.#readAccounts())
      if (userId === null) break
      const some = await removeNotifications(db, userId, before)
      removed += some
      if (some === 0) this.#last = this.#accounts.shift() ?? FIRST_ID
      else await letSubmissionsPass(this.#app)
    }
    return removed
  }

  /** The next account; null at the end, after which it begins anew. */
  async #readAccounts(): Promise<string | null> {
    this.#accounts = await listAccounts(this.#app.db.checks, this.#last, ACCOUNTS)
    const [next = null] = this.#accounts
    if (next === null) this.#last = FIRST_ID
    return next
  }
}
