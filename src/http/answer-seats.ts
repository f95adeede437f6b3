import { unavailable } from '../errors.ts'

/** Large answers that are sent at once, in all and to one account. Each holds up to a megabyte until it is read. */
const MOST = 64
const MOST_OF_ONE = 20
/** Requests that wait for a seat at most, in all and of one account, and how long. */
const MOST_WAITING = 64
const MOST_WAITING_OF_ONE = 20
const PATIENCE_MS = 10_000

interface Waiting {
  account: string
  seat: () => void
}

/**
 * Answers that do not fit into one piece take a seat while they are sent, so that all of them together have a bound
 * in memory, however many are asked for and however slowly they are read. An account has a third of the seats at most.
 */
export class AnswerSeats {
  #taken = 0
  readonly #takenBy = new Map<string, number>()
  readonly #waiting = new Set<Waiting>()

  /** Resolves with what gives the seat back. @throws UNAVAILABLE if none comes free in time, or too many wait */
  async take(account: string): Promise<() => void> {
    if (!this.#isFreeFor(account)) await this.#wait(account)
    else this.#seat(account)
    return this.#release(account)
  }

  /** For what was done already, and must be told. */
  takeAnyway(account: string): () => void {
    this.#seat(account)
    return this.#release(account)
  }

  #release(account: string): () => void {
    let given = false
    return () => {
      if (given) return
      given = true
      this.#giveBack(account)
    }
  }

  #isFreeFor(account: string): boolean {
    return this.#taken < MOST && (this.#takenBy.get(account) ?? 0) < MOST_OF_ONE
  }

  #seat(account: string): void {
    this.#taken++
    this.#takenBy.set(account, (this.#takenBy.get(account) ?? 0) + 1)
  }

  #wait(account: string): Promise<void> {
    const ofAccount = [...this.#waiting].filter((waiting) => waiting.account === account).length
    if (this.#waiting.size >= MOST_WAITING || ofAccount >= MOST_WAITING_OF_ONE) throw tooMany()
    return new Promise((resolve, reject) => {
      const waiting = { account, seat: () => {} }
      const giveUp = setTimeout(() => {
        this.#waiting.delete(waiting)
        reject(tooMany())
      }, PATIENCE_MS)
      waiting.seat = () => {
        clearTimeout(giveUp)
        resolve()
      }
      this.#waiting.add(waiting)
    })
  }

  #giveBack(account: string): void {
    this.#taken--
    const left = (this.#takenBy.get(account) ?? 1) - 1
    if (left > 0) this.#takenBy.set(account, left)
    else this.#takenBy.delete(account)
    for (const waiting of this.#waiting) {
      if (!this.#isFreeFor(waiting.account)) continue
      this.#waiting.delete(waiting)
      this.#seat(waiting.account)
      waiting.seat()
      return
    }
  }
}

const tooMany = () => unavailable('Too many large answers are being sent.')
