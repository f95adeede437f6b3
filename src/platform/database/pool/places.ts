import { FairLine } from '../../concurrency/fair-line.ts'
import { DatabaseOverloaded } from '../database-unavailable.ts'

/** Whose the work is: an account's, or the service's own. */
export const THE_SERVICE = ''

/** Callers that may wait, of accounts together and of the service; one more is refused at once. */
const MOST_WAITING = 1_000
const MOST_WAITING_OF_ACCOUNT = 250

/** What one account may have. */
export interface AccountBounds {
  places: number
  waiting: number
}

interface Waiting {
  since: number
  resolve: () => void
  reject: (error: DatabaseOverloaded) => void
}

/**
 * A fixed number of places for work. Who finds none free waits, and accounts take turns. One account never has all of
 * them, so another's work begins at once; the service's own may.
 */
export class Places {
  readonly size: number
  readonly #ofAccount: AccountBounds
  readonly #waiting = new FairLine<Waiting>()
  /** Of each account that has some. */
  readonly #takenBy = new Map<string, number>()
  #taken = 0

  /** @param ofAccount by default all places but one */
  constructor(size: number, ofAccount?: AccountBounds) {
    this.size = size
    this.#ofAccount = ofAccount ?? { places: Math.max(1, size - 1), waiting: MOST_WAITING_OF_ACCOUNT }
  }

  get waiting(): number {
    return this.#waiting.length
  }

  /** @throws DatabaseOverloaded at once if too many wait */
  async take(account: string): Promise<void> {
    if (this.#waiting.lengthOf(account) === 0 && this.#mayTake(account)) return this.#give(account)
    if (!this.#mayWait(account)) {
      throw new DatabaseOverloaded('Too many requests are waiting for the database.')
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
      reject(new DatabaseOverloaded('No connection to the database was free in time.'))
    }
  }

  /** Accounts that are many never keep the service's own work out. */
  #mayWait(account: string): boolean {
    const ofService = this.#waiting.lengthOf(THE_SERVICE)
    if (account === THE_SERVICE) return ofService < MOST_WAITING
    const ofAccounts = this.#waiting.length - ofService
    return ofAccounts < MOST_WAITING && this.#waiting.lengthOf(account) < this.#ofAccount.waiting
  }

  #mayTake(account: string): boolean {
    const most = account === THE_SERVICE ? this.size : this.#ofAccount.places
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
