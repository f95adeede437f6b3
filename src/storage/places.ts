import { DatabaseAway } from './database-away.ts'
import { FairLine } from './fair-line.ts'

/** Whose the work is: an account's, or the service's own. */
export const THE_SERVICE = ''

/** Callers that may wait, in all and of one account; one more is refused at once. */
const MOST_WAITING = 1_000
const MOST_WAITING_OF_ACCOUNT = 250

interface Waiting {
  since: number
  resolve: () => void
  reject: (error: DatabaseAway) => void
}

/**
 * A fixed number of places for work. Who finds none free waits, and accounts take turns. One account never has all of
 * them, so another's work begins at once; the service's own may.
 */
export class Places {
  readonly size: number
  readonly #waiting = new FairLine<Waiting>()
  /** Of each account that has some. */
  readonly #takenBy = new Map<string, number>()
  #taken = 0

  constructor(size: number) {
    this.size = size
  }

  /** @throws DatabaseAway at once where too many wait */
  async take(account: string): Promise<void> {
    if (this.#waiting.lengthOf(account) === 0 && this.#mayTake(account)) return this.#give(account)
    const most = account === THE_SERVICE ? MOST_WAITING : MOST_WAITING_OF_ACCOUNT
    if (this.#waiting.length >= MOST_WAITING || this.#waiting.lengthOf(account) >= most) {
      throw new DatabaseAway('Too many requests are waiting for the database.', true)
    }
    await new Promise<void>((resolve, reject) => {
      this.#waiting.add(account, { since: performance.now(), resolve, reject })
    })
  }

  giveBack(account: string): void {
    const taken = (this.#takenBy.get(account) ?? 0) - 1
    if (taken > 0) this.#takenBy.set(account, taken)
    else this.#takenBy.delete(account)
    this.#taken--
    this.#letGo()
  }

  /** Those that have waited for so long, in milliseconds, wait no more. */
  refuseAfter(longestMs: number): void {
    const before = performance.now() - longestMs
    for (const { reject } of this.#waiting.removeWhile(({ since }) => since <= before)) {
      reject(new DatabaseAway('No connection to the database was free in time.', true))
    }
  }

  #mayTake(account: string): boolean {
    const most = account === THE_SERVICE ? this.size : Math.max(1, this.size - 1)
    return this.#taken < this.size && (this.#takenBy.get(account) ?? 0) < most
  }

  #give(account: string): void {
    this.#taken++
    this.#takenBy.set(account, (this.#takenBy.get(account) ?? 0) + 1)
  }

  #letGo(): void {
    for (;;) {
      const next = this.#waiting.take((account) => this.#mayTake(account))
      if (!next) return
      this.#give(next.account)
      next.item.resolve()
    }
  }
}
