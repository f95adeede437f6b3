import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { Batcher } from '../../src/platform/concurrency/batcher.ts'
import { newStatementBatcher } from '../../src/platform/database/statement-batcher.ts'
import { Pool, readClock, SERVICE } from '../support/source/database.ts'
import { ServiceError } from '../support/source/errors.ts'
import { explore } from './explore.ts'
import { type Fault, fault } from './faults.ts'
import { type AnyHistory, choices } from './history.ts'
import { assertEndsWhole } from './pool-world.ts'
import type { World } from './world.ts'

/* A statement batcher, whatever the database does and in whatever order. */

/** The database refuses a bad item. */
interface Item {
  number: number
  weight: number
  isBad: boolean
}
type BatchDeed =
  | { do: 'ask'; as: string; weight: number; isBad: boolean }
  | { do: 'go on'; steps: number }
  | { do: 'fault'; site: string; fault: Fault }
  | { do: 'cut'; connection: number }
interface BatchHistory extends AnyHistory {
  deeds: BatchDeed[]
}

const MAX_WEIGHT = 5
const MAX_IN_FLIGHT = 2
/** In the queue. */
const TIMEOUT_MS = 5_000
/** A connection and its statement come on top. */
const MAX_ANSWER_MS = TIMEOUT_MS + 50_000

const of = <const T extends string>(what: T) => ({ do: fc.constant(what) })
const ask = fc.record({
  ...of('ask'),
  as: fc.constantFrom('A', 'A', 'B', 'C'),
  weight: fc.integer({ min: 0, max: 7 }),
  isBad: fc.integer({ min: 0, max: 9 }).map((n) => n === 0),
})
const deed: fc.Arbitrary<BatchDeed> = fc.oneof(
  { weight: 8, arbitrary: ask },
  { weight: 4, arbitrary: fc.record({ ...of('go on'), steps: fc.integer({ min: 1, max: 6 }) }) },
  {
    weight: 2,
    arbitrary: fc.record({ ...of('fault'), site: fc.constantFrom('connect', 'read_clock'), fault }),
  },
  { weight: 1, arbitrary: fc.record({ ...of('cut'), connection: fc.nat({ max: 2 }) }) },
)
const batchHistory: fc.Arbitrary<BatchHistory> = fc.record({
  servers: fc.constant(0),
  deeds: fc.array(deed, { minLength: 1, maxLength: 60, size: 'max' }),
  choices,
})

interface Asked {
  item: Item
  as: string
  askedAtMs: number
  answer: number | Error | null
}

/** A batcher of which each batch is checked. */
class WatchedBatcher {
  readonly pool = new Pool({ connectionString: 'postgres://nowhere', size: 3 })
  readonly asked: Asked[] = []
  readonly batcher: Batcher<Item, number>
  readonly #world: World
  #running = 0
  /** The newest item of each account that has run. */
  readonly #sent = new Map<string, number>()
  readonly #batches = new Set<string>()

  constructor(world: World) {
    this.#world = world
    this.batcher = newStatementBatcher<Item, number>({
      db: this.pool.for(SERVICE),
      maxWeight: MAX_WEIGHT,
      weightOf: ({ weight }) => weight,
      run: async (db, items) => {
        this.#look(items)
        this.#running++
        try {
          await readClock(db)
          if (items.some(({ isBad }) => isBad)) throw new Error('the database does not take it')
          return items.map(({ number }) => 2 * number)
        } finally {
          this.#running--
        }
      },
    })
  }

  ask(as: string, weight: number, isBad: boolean): void {
    const item = { number: this.asked.length, weight, isBad }
    const { time } = this.#world.course
    const asked: Asked = { item, as, askedAtMs: time.nowMs, answer: null }
    this.asked.push(asked)
    const answered = (answer: number | Error) => {
      if (asked.answer !== null) this.#tell('answered twice')
      if (time.nowMs - asked.askedAtMs > MAX_ANSWER_MS) this.#tell('answered late')
      asked.answer = answer
    }
    void this.batcher.submit(as, item).then(answered, answered)
  }

  #look(items: readonly Item[]): void {
    const total = items.reduce((sum, { weight }) => sum + weight, 0)
    if (this.#running >= MAX_IN_FLIGHT) this.#tell('too many batches in flight')
    if (items.length > 1 && total > MAX_WEIGHT) this.#tell('a batch is too heavy')
    if (items.length === 0) this.#tell('an empty batch')
    // After a transient error the same batch runs once more.
    const batch = items.map(({ number }) => number).join()
    const isAgain = this.#batches.has(batch)
    this.#batches.add(batch)
    for (const { number } of items) {
      const { as } = this.asked[number] as Asked
      const last = this.#sent.get(as) ?? -1
      // An item of a refused batch runs alone.
      if (number > last) this.#sent.set(as, number)
      else if (items.length > 1 && !isAgain) this.#tell('out of order')
    }
  }

  #tell(problem: string): void {
    this.#world.unheard.push(new Error(problem))
  }
}

test('whatever fails, each item is answered once with its own result, and the next batch runs', async (t) => {
  await explore(
    t,
    batchHistory,
    async (world, { deeds }) => {
      const watched = new WatchedBatcher(world)
      for (const deed of deeds) {
        if (deed.do === 'ask') watched.ask(deed.as, deed.weight, deed.isBad)
        else await world.perform([deed])
      }
      await world.rest()
      const isAnswered = () => watched.asked.every(({ answer }) => answer !== null)
      await world.goOnUntil(isAnswered)
      for (const { item, answer } of watched.asked) {
        if (typeof answer === 'number') assert.deepEqual([answer, item.isBad], [2 * item.number, false])
        // Also undisturbed: time passes as it likes, and a connection may take too long.
        else
          assert.ok(
            item.isBad ||
              answer instanceof ServiceError ||
              (world.wasDisturbed && /SQLSTATE|refused/.test(`${answer}`)),
            `${answer}`,
          )
      }
      watched.ask('A', 1, false)
      watched.ask('B', 1, true)
      await world.goOnUntil(isAnswered)
      const [good, bad] = watched.asked.slice(-2) as [Asked, Asked]
      assert.equal(good.answer, 2 * good.item.number)
      assert.ok(bad.answer instanceof Error)

      let isStopped = false
      void watched.batcher.stop().then(() => {
        isStopped = true
      })
      await world.goOnUntil(() => isStopped)
      await assertEndsWhole(world, watched.pool)
    },
    { runs: 200 },
  )
})
