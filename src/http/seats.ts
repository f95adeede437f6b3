import { unavailable } from '../errors.ts'

export interface SeatsSettings {
  most: number
  mostOfOne: number
  /** Requests that wait at most, in all and of one account, and how long. */
  mostWaiting: number
  mostWaitingOfOne: number
  patienceMs: number
  /** What is told to who waited for too long, or may not wait. */
  refusal: string
}

interface Waiting {
  account: string
  seats: number
  seat: () => void
}

/**
 * Seats for work of which there is a bound, in all and of one account. Who finds none free waits, in the order of
 * arrival; who needs many is not overtaken by those who need few, but for those of accounts that have room for no more.
 */
export class Seats {
  readonly #settings: SeatsSettings
  #taken = 0
  readonly #takenBy = new Map<string, number>()
  readonly #waiting = new Set<Waiting>()

  constructor(settings: SeatsSettings) {
    this.#settings = settings
  }

  get taken(): number {
    return this.#taken
  }

  /**
   * Resolves with what gives the seats back.
   * @param gone ends the waiting of who does not want them any more
   * @throws UNAVAILABLE if they do not come free in time, or too many wait
   */
  async take(account: string, seats = 1, gone?: AbortSignal): Promise<() => void> {
    const now = this.#waiting.size === 0 ? this.takeNow(account, seats) : null
    return now ?? (await this.#wait(account, seats, gone))
  }

  /** Null where there are not so many. For who has some and needs more: he must not wait. */
  takeNow(account: string, seats: number): (() => void) | null {
    return this.#hasRoom(account, seats) ? this.takeAnyway(account, seats) : null
  }

  /** For what was done already, and must be told. */
  takeAnyway(account: string, seats = 1): () => void {
    this.#taken += seats
    this.#takenBy.set(account, (this.#takenBy.get(account) ?? 0) + seats)
    let given = false
    return () => {
      if (given) return
      given = true
      this.#giveBack(account, seats)
    }
  }

  #hasRoom(account: string, seats: number): boolean {
    return this.#taken + seats <= this.#settings.most && this.#hasRoomOfOne(account, seats)
  }

  #hasRoomOfOne(account: string, seats: number): boolean {
    return (this.#takenBy.get(account) ?? 0) + seats <= this.#settings.mostOfOne
  }

  #wait(account: string, seats: number, gone?: AbortSignal): Promise<() => void> {
    const { mostWaiting, mostWaitingOfOne, patienceMs } = this.#settings
    const ofAccount = this.#waiting.values().filter((waiting) => waiting.account === account)
    if (this.#waiting.size >= mostWaiting || [...ofAccount].length >= mostWaitingOfOne) throw this.#refusal()
    return new Promise((resolve, reject) => {
      const waiting = { account, seats, seat: () => {} }
      const leave = () => {
        clearTimeout(timer)
        gone?.removeEventListener('abort', giveUp)
        this.#waiting.delete(waiting)
      }
      const giveUp = () => {
        leave()
        reject(this.#refusal())
        this.#letGo()
      }
      const timer = setTimeout(giveUp, patienceMs)
      gone?.addEventListener('abort', giveUp)
      waiting.seat = () => {
        leave()
        resolve(this.takeAnyway(account, seats))
      }
      this.#waiting.add(waiting)
      this.#letGo()
    })
  }

  #giveBack(account: string, seats: number): void {
    this.#taken -= seats
    const left = (this.#takenBy.get(account) ?? seats) - seats
    if (left > 0) this.#takenBy.set(account, left)
    else this.#takenBy.delete(account)
    this.#letGo()
  }

  #letGo(): void {
    for (const waiting of this.#waiting) {
      if (!this.#hasRoomOfOne(waiting.account, waiting.seats)) continue
      if (this.#taken + waiting.seats > this.#settings.most) return
      waiting.seat()
    }
  }

  readonly #refusal = () => unavailable(this.#settings.refusal)
}
