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
  seats: number
  seat: () => void
  refuse: () => void
}

/**
 * Seats for work of which there is a bound, in all and of one account. Who finds none free waits. Accounts take turns;
 * who needs many is not overtaken by those who need few, unless his account has had its part. Where no more may wait, the
 * account that waits with most gives way: a few of them cannot shut out the others.
 */
export class Seats {
  readonly #settings: SeatsSettings
  #taken = 0
  readonly #takenBy = new Map<string, number>()
  /** Each account's in their order; the order of the keys is that of the turns. */
  readonly #waiting = new Map<string, Waiting[]>()
  #waitingCount = 0

  constructor(settings: SeatsSettings) {
    this.#settings = settings
  }

  get taken(): number {
    return this.#taken
  }

  /**
   * Resolves with what gives the seats back.
   * @param gone ends the waiting of who does not want them any more: its reason is thrown
   * @throws UNAVAILABLE if they do not come free in time, or too many wait
   */
  async take(account: string, seats = 1, gone?: AbortSignal): Promise<() => void> {
    return this.takeAtOnce(account, seats) ?? (await this.#wait(account, seats, gone))
  }

  /** Null where others wait, or there are not so many. */
  takeAtOnce(account: string, seats: number): (() => void) | null {
    return this.#waitingCount === 0 ? this.takeNow(account, seats) : null
  }

  /** Null where there are not so many. For who has some and needs more: he must not wait. */
  takeNow(account: string, seats: number): (() => void) | null {
    return this.#hasRoom(account, seats) ? this.takeAnyway(account, seats) : null
  }

  /** Whether one account might have so many, where nobody else had any. */
  mayEverGive(seats: number): boolean {
    return seats <= Math.min(this.#settings.most, this.#settings.mostOfOne)
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
    const ofAccount = this.#waiting.get(account)?.length ?? 0
    if (ofAccount >= mostWaitingOfOne) throw this.#refusal()
    if (this.#waitingCount >= mostWaiting) this.#makeRoom(ofAccount)
    return new Promise((resolve, reject) => {
      const end = () => {
        clearTimeout(timer)
        gone?.removeEventListener('abort', giveUp)
        this.#leave(account, waiting)
      }
      const refuse = () => {
        end()
        reject(gone?.aborted ? gone.reason : this.#refusal())
      }
      const giveUp = () => {
        refuse()
        this.#letGo()
      }
      const seat = () => {
        end()
        resolve(this.takeAnyway(account, seats))
      }
      const waiting = { seats, seat, refuse }
      const timer = setTimeout(giveUp, patienceMs)
      gone?.addEventListener('abort', giveUp)
      const line = this.#waiting.get(account)
      if (line) line.push(waiting)
      else this.#waiting.set(account, [waiting])
      this.#waitingCount++
      this.#letGo()
    })
  }

  /** Refuses who came last of the account that waits with most, if others would still not wait with more than it. */
  #makeRoom(ofAccount: number): void {
    let longest: Waiting[] = []
    for (const line of this.#waiting.values()) if (line.length > longest.length) longest = line
    if (longest.length <= ofAccount + 1) throw this.#refusal()
    longest.at(-1)?.refuse()
  }

  #leave(account: string, waiting: Waiting): void {
    const line = this.#waiting.get(account) as Waiting[]
    line.splice(line.indexOf(waiting), 1)
    if (line.length === 0) this.#waiting.delete(account)
    this.#waitingCount--
  }

  #giveBack(account: string, seats: number): void {
    this.#taken -= seats
    const left = (this.#takenBy.get(account) ?? seats) - seats
    if (left > 0) this.#takenBy.set(account, left)
    else this.#takenBy.delete(account)
    this.#letGo()
  }

  /** An account whose turn was has the next after the others. */
  #letGo(): void {
    for (const [account, line] of this.#waiting) {
      const { seats, seat } = line[0] as Waiting
      if (!this.#hasRoomOfOne(account, seats)) continue
      if (this.#taken + seats > this.#settings.most) return
      seat()
      if (line.length === 0) continue
      this.#waiting.delete(account)
      this.#waiting.set(account, line)
    }
  }

  readonly #refusal = () => unavailable(this.#settings.refusal)
}
