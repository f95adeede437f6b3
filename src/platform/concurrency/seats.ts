import { unavailable } from '../../kernel/errors.ts'

export interface SeatsSettings {
  most: number
  mostOfOne: number
  /** Seats of those who stay for their callers, whether others wait or not; else as many as there are. */
  mostStaying?: number
  /** Requests that wait at most, in all and of one account, and how long. */
  mostWaiting: number
  mostWaitingOfOne: number
  patienceMs: number
  /** What is told to who waited for too long, or may not wait. */
  refusal: string
}

interface Waiting {
  seats: number
  sit: () => void
  refuse: () => void
}

/** What somebody has of the seats. */
export interface Seat {
  readonly seats: number
  /** Once; again changes nothing. */
  readonly giveBack: () => void
  /**
   * The work is done, and he stays for as long as his caller takes.
   * @param leave is called when others wait for the seats: they are to be given back at once
   */
  readonly stay: (leave: () => void) => void
}

interface Staying extends Stayer {
  leave: () => void
}

/**
 * Seats for work of which there is a bound, in all and of one account. Who finds none free waits. Accounts take turns;
 * who needs many is not overtaken by those who need few, unless his account has had its part. Where no more may wait, the
 * account that waits with most gives way: a few of them cannot shut out the others. Nor can those whose callers are slow:
 * while others wait, or too many stay, they have to leave.
 */
export class Seats {
  readonly #settings: SeatsSettings
  #taken = 0
  readonly #takenBy = new Map<string, number>()
  /** Each account's in their order; the order of the keys is that of the turns. */
  readonly #waiting = new Map<string, Waiting[]>()
  #waitingCount = 0
  readonly #staying = new Set<Staying>()
  #watching: NodeJS.Timeout | null = null

  constructor(settings: SeatsSettings) {
    this.#settings = settings
  }

  get taken(): number {
    return this.#taken
  }

  /**
   * @param gone ends the waiting of who does not want them any more: its reason is thrown
   * @throws UNAVAILABLE if they do not come free in time, or too many wait
   */
  async take(account: string, seats = 1, gone?: AbortSignal): Promise<Seat> {
    return this.takeAtOnce(account, seats) ?? (await this.#wait(account, seats, gone))
  }

  /** Null if others wait, or there are not so many. */
  takeAtOnce(account: string, seats: number): Seat | null {
    return this.#waitingCount === 0 ? this.takeNow(account, seats) : null
  }

  /** Null if there are not so many. For who has some and needs more: he must not wait. */
  takeNow(account: string, seats: number): Seat | null {
    return this.#hasRoom(account, seats) ? this.takeAnyway(account, seats) : null
  }

  /** Whether one account might have so many if nobody else had any. */
  mayEverGive(seats: number): boolean {
    return seats <= Math.min(this.#settings.most, this.#settings.mostOfOne)
  }

  /** For what was done already, and must be told. */
  takeAnyway(account: string, seats = 1): Seat {
    this.#taken += seats
    this.#takenBy.set(account, (this.#takenBy.get(account) ?? 0) + seats)
    let staying: Staying | null = null
    let isGiven = false
    return {
      seats,
      giveBack: () => {
        if (isGiven) return
        isGiven = true
        if (staying) this.#staying.delete(staying)
        this.#giveBack(account, seats)
      },
      stay: (leave) => {
        staying = { account, amount: seats, since: performance.now(), leave }
        if (!isGiven) this.#staying.add(staying)
        this.#watch()
      },
    }
  }

  #hasRoom(account: string, seats: number): boolean {
    return this.#taken + seats <= this.#settings.most && this.#hasRoomOfOne(account, seats)
  }

  #hasRoomOfOne(account: string, seats: number): boolean {
    return (this.#takenBy.get(account) ?? 0) + seats <= this.#settings.mostOfOne
  }

  #wait(account: string, seats: number, gone?: AbortSignal): Promise<Seat> {
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
        this.#comeLast(account)
        this.#letGo()
      }
      const sit = () => {
        end()
        resolve(this.takeAnyway(account, seats))
      }
      const waiting = { seats, sit, refuse }
      const timer = setTimeout(giveUp, patienceMs)
      gone?.addEventListener('abort', giveUp)
      const line = this.#waiting.get(account)
      if (line) line.push(waiting)
      else this.#waiting.set(account, [waiting])
      this.#waitingCount++
      this.#letGo()
      this.#watch()
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
      const { seats, sit } = line[0] as Waiting
      if (!this.#hasRoomOfOne(account, seats)) continue
      if (this.#taken + seats > this.#settings.most) return
      sit()
      this.#comeLast(account)
    }
  }

  #comeLast(account: string): void {
    const line = this.#waiting.get(account)
    if (!line) return
    this.#waiting.delete(account)
    this.#waiting.set(account, line)
  }

  /** While somebody waits, or too many stay, it is looked who has to leave. */
  #watch(): void {
    if (this.#waitingCount === 0 && this.#tooMany <= 0) return
    this.#watching ??= setTimeout(() => {
      this.#watching = null
      this.#clearForAll()
      this.#clearForNext()
      this.#watch()
    }, LOOK_EVERY_MS).unref()
  }

  get #tooMany(): number {
    const { most, mostStaying = most } = this.#settings
    let staying = 0
    for (const { amount } of this.#staying) staying += amount
    return staying - mostStaying
  }

  /** Where too many stay, each account has an equal part of the seats. */
  #clearForAll(): void {
    const { most, mostStaying = most } = this.#settings
    const accounts = new Set([...this.#staying].map(({ account }) => account)).size
    this.#clear(this.#tooMany, mostStaying / accounts)
  }

  /** For whoever waits first, of those whose accounts may have them. He takes from those who have more than he would. */
  #clearForNext(): void {
    for (const [account, line] of this.#waiting) {
      const { seats } = line[0] as Waiting
      if (!this.#hasRoomOfOne(account, seats)) continue
      this.#clear(this.#taken + seats - this.#settings.most, (this.#takenBy.get(account) ?? 0) + seats)
      return
    }
  }

  #clear(missing: number, part: number): void {
    const has = new Map<string, number>()
    for (const { account, amount } of this.#staying) has.set(account, (has.get(account) ?? 0) + amount)
    for (const staying of whoGivesWay(this.#staying, has, missing, part)) {
      this.#staying.delete(staying)
      staying.leave()
    }
  }

  readonly #refusal = () => unavailable(this.#settings.refusal)
}

/** How long somebody may stay for a slow caller in any case, and how often it is looked who has, in milliseconds. */
const STAYS_MS = 3_000
export const LOOK_EVERY_MS = 250

/** Somebody who only stays because his caller is slow, and what he has of something that is short. */
export interface Stayer {
  readonly account: string
  readonly amount: number
  /** By performance.now(). */
  readonly since: number
}

/**
 * Those who give way, so that so much comes free, as far as there are such: of the accounts that have more than a part, of
 * that with most first, and of its own who came first.
 * @param has what each account has
 */
export function whoGivesWay<One extends Stayer>(
  all: Iterable<One>,
  has: ReadonlyMap<string, number>,
  missing: number,
  part: number,
): One[] {
  const leaving: One[] = []
  if (missing <= 0) return leaving
  const before = performance.now() - STAYS_MS
  const left = new Map(has)
  const amountOf = ({ account }: Stayer) => left.get(account) ?? 0
  const slow = [...all].filter(({ since }) => since <= before)
  let free = 0
  for (const one of slow.sort((a, b) => amountOf(b) - amountOf(a) || a.since - b.since)) {
    if (free >= missing) break
    if (amountOf(one) <= part) continue
    free += one.amount
    left.set(one.account, amountOf(one) - one.amount)
    leaving.push(one)
  }
  return leaving
}
