import { setImmediate as nextTurn } from 'node:timers/promises'
import { unavailable } from '../../../kernel/errors.ts'
import { owned } from '../../../kernel/owned-promise.ts'
import type { Part } from '../../../kernel/part.ts'
import { FairLine } from '../../concurrency/fair-line.ts'
import type { Connection } from '../connection.ts'
import { DatabaseOverloaded, DatabaseUnavailable, isPassing } from '../database-unavailable.ts'

/** What may wait, of all accounts together; and of one, which has no more than are left: some for whoever comes next. */
const MOST_WAITING = 1_000
const MOST_WAITING_OF_ACCOUNT = 250
/** For how long it may wait for its group to begin. */
const LONGEST_WAIT_MS = 5_000
const LOOK_EVERY_MS = 500
/** By default, so that while one group is being committed, another is sent. */
const LANES = 2
/** For so many another group goes while one is on its way; fewer wait for it, but not long: it may be stuck. */
const WORTH_ANOTHER = 8
const LONGEST_HOLD_MS = 10
/** Of those that were done together so many are answered in a turn of the event loop. */
const AT_ONCE = 16
/** For so long those of one group are tried one by one. */
const LONGEST_APART_MS = 5_000

export interface GroupKind<Item, Outcome> {
  db: Connection
  /** What came of each, in their order. All of it is done, or nothing. */
  run: (db: Connection, items: readonly Item[]) => Promise<Outcome[]>
  /** What a group takes, and what each takes of it. What is more goes alone: the others do not wait for it. */
  room: number
  weight: (item: Item) => number
  /** Only what has the same home goes together; by default all. */
  homeOf?: (item: Item) => number
  /** Groups on their way at once. */
  lanes?: number
}

interface Waiting<Item, Outcome> {
  item: Item
  weight: number
  since: number
  resolve: (outcome: Outcome) => void
  reject: (error: unknown) => void
}

/**
 * What many callers ask for in one statement: whatever comes while other such work is on its way goes together in the
 * next group. If nothing is on its way, it goes at once. Accounts take turns, and what the database does not take fails
 * none but who asked for it.
 */
export class GroupedWork<Item, Outcome> implements Part {
  readonly #kind: GroupKind<Item, Outcome>
  readonly #line = new FairLine<Waiting<Item, Outcome>>()
  readonly #most: number
  #lanes = 0
  #isScheduled = false
  #holding: NodeJS.Timeout | null = null
  #watching: NodeJS.Timeout | null = null
  /** Resolves when all is done; null as long as more is taken. */
  #ending: PromiseWithResolvers<void> | null = null

  constructor(kind: GroupKind<Item, Outcome>) {
    this.#kind = kind
    this.#most = kind.lanes ?? LANES
  }

  /** @throws UNAVAILABLE, at once if too much is waiting, and what the database says of it alone */
  do(userId: string, item: Item): Promise<Outcome> {
    if (this.#ending) return Promise.reject(unavailable('The server is stopping.'))
    if (!this.#hasRoom(userId)) {
      return Promise.reject(new DatabaseOverloaded('Too many requests are waiting for the database.'))
    }
    return new Promise((resolve, reject) => {
      this.#line.add(userId, {
        item,
        weight: this.#kind.weight(item),
        since: performance.now(),
        resolve,
        reject,
      })
      this.#schedule()
      this.#watch()
    })
  }

  /** Takes no more, and does what it has. */
  stop(): Promise<void> {
    this.#ending ??= Promise.withResolvers()
    this.#endIfDone()
    return this.#ending.promise
  }

  #hasRoom(userId: string): boolean {
    const left = MOST_WAITING - this.#line.length
    return this.#line.lengthOf(userId) < Math.min(MOST_WAITING_OF_ACCOUNT, left)
  }

  /** Once what has arrived by now is in the line too. */
  #schedule(): void {
    if (this.#isScheduled || this.#lanes === this.#most) return
    this.#isScheduled = true
    setImmediate(() => {
      this.#isScheduled = false
      this.#fillLanes()
    })
  }

  #fillLanes(worthAnother = WORTH_ANOTHER): void {
    while (this.#lanes < this.#most && this.#line.length >= (this.#lanes > 0 ? worthAnother : 1))
      void owned(this.#send(this.#takeGroup()))
    if (this.#lanes < this.#most && this.#line.length > 0) this.#holdNoLonger()
  }

  /** Those that are held back now go at last. */
  #holdNoLonger(): void {
    this.#holding ??= setTimeout(() => {
      this.#holding = null
      this.#fillLanes(1)
    }, LONGEST_HOLD_MS)
  }

  #takeGroup(): Waiting<Item, Outcome>[] {
    const group: Waiting<Item, Outcome>[] = []
    const { homeOf = () => 0 } = this.#kind
    let { room } = this.#kind
    let home = 0
    for (;;) {
      const next = this.#line.take(
        (_, { item, weight }) => group.length === 0 || (weight <= room && homeOf(item) === home),
      )
      if (!next) return group
      if (group.length === 0) home = homeOf(next.item.item)
      group.push(next.item)
      room -= next.item.weight
    }
  }

  /** Whatever happens, each of the group is answered, and the lane is free again. */
  async #send(group: readonly Waiting<Item, Outcome>[]): Promise<void> {
    this.#lanes++
    try {
      await this.#settle(group)
    } finally {
      this.#lanes--
      this.#fillLanes()
      this.#endIfDone()
    }
  }

  /** @param isAgain somebody was in their way: with what the database sees a moment later, perhaps nobody is */
  async #settle(group: readonly Waiting<Item, Outcome>[], isAgain = false): Promise<void> {
    try {
      const { db, run } = this.#kind
      const outcomes = await run(
        db,
        group.map(({ item }) => item),
      )
      for (const [i, { resolve }] of group.entries()) {
        resolve(outcomes[i] as Outcome)
        if (i % AT_ONCE === AT_ONCE - 1) await nextTurn()
      }
    } catch (error) {
      if (!isAgain && isPassing(error)) await this.#settle(group, true)
      else if (group.length > 1 && isOfOne(error)) await this.#settleApart(group)
      else for (const { reject } of group) reject(error)
    }
  }

  /** What is one's own fault must not fail its neighbours. */
  async #settleApart(group: readonly Waiting<Item, Outcome>[]): Promise<void> {
    const end = performance.now() + LONGEST_APART_MS
    for (const one of group) {
      if (performance.now() < end) await this.#settle([one], true)
      else one.reject(notInTime())
    }
  }

  #watch(): void {
    this.#watching ??= setTimeout(() => {
      this.#watching = null
      const before = performance.now() - LONGEST_WAIT_MS
      for (const { reject } of this.#line.removeWhile(({ since }) => since <= before)) reject(notInTime())
      if (this.#line.length > 0) this.#watch()
      this.#endIfDone()
    }, LOOK_EVERY_MS).unref()
  }

  #endIfDone(): void {
    if (!this.#ending || this.#lanes > 0 || this.#line.length > 0) return
    for (const timer of [this.#watching, this.#holding]) if (timer) clearTimeout(timer)
    this.#ending.resolve()
  }
}

/** One of them is at fault, or was in somebody's way: the others may well succeed. */
const isOfOne = (error: unknown) => !(error instanceof DatabaseUnavailable) || error.isPassing

const notInTime = () => new DatabaseOverloaded('The database did not process the request in time.')
