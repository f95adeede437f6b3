import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { GroupedWork } from '../support/source/claims.ts'
import { Pool, readClock, SERVICE } from '../support/source/database.ts'
import { ServiceError } from '../support/source/errors.ts'
import { explore } from './explore.ts'
import { type Fault, fault } from './faults.ts'
import { type AnyHistory, choices } from './history.ts'
import { assertEndsWhole } from './pool-world.ts'
import type { World } from './world.ts'

/* Statements for many callers, whatever the database does and in whatever order. */

/** What it is, and what it takes of a group; the database takes no bad one. */
interface Item {
  number: number
  weight: number
  isBad: boolean
}
type GroupDeed =
  | { do: 'ask'; as: string; weight: number; isBad: boolean }
  | { do: 'go on'; steps: number }
  | { do: 'fault'; site: string; fault: Fault }
  | { do: 'cut'; connection: number }
interface GroupHistory extends AnyHistory {
  deeds: GroupDeed[]
}

const ROOM = 5
const LANES = 2
const PATIENCE_MS = 5_000
/** For a connection, its statement, and five seconds of one by one behind that. */
const LONGEST_MS = PATIENCE_MS + 50_000

const of = <const T extends string>(what: T) => ({ do: fc.constant(what) })
const ask = fc.record({
  ...of('ask'),
  as: fc.constantFrom('A', 'A', 'B', 'C'),
  weight: fc.integer({ min: 0, max: 7 }),
  isBad: fc.integer({ min: 0, max: 9 }).map((n) => n === 0),
})
const deed: fc.Arbitrary<GroupDeed> = fc.oneof(
  { weight: 8, arbitrary: ask },
  { weight: 4, arbitrary: fc.record({ ...of('go on'), steps: fc.integer({ min: 1, max: 6 }) }) },
  {
    weight: 2,
    arbitrary: fc.record({ ...of('fault'), site: fc.constantFrom('connect', 'read_clock'), fault }),
  },
  { weight: 1, arbitrary: fc.record({ ...of('cut'), connection: fc.nat({ max: 2 }) }) },
)
const groupHistory: fc.Arbitrary<GroupHistory> = fc.record({
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

/** A work of which each group is looked at. */
class WatchedWork {
  readonly pool = new Pool({ connectionString: 'postgres://nowhere', size: 3 })
  readonly asked: Asked[] = []
  readonly work: GroupedWork<Item, number>
  readonly #world: World
  #running = 0
  /** The last that was sent of an account, when it was sent first. */
  readonly #sent = new Map<string, number>()
  readonly #groups = new Set<string>()

  constructor(world: World) {
    this.#world = world
    this.work = new GroupedWork<Item, number>({
      db: this.pool.for(SERVICE),
      room: ROOM,
      weight: ({ weight }) => weight,
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
      if (time.nowMs - asked.askedAtMs > LONGEST_MS) this.#tell('answered late')
      asked.answer = answer
    }
    void this.work.do(as, item).then(answered, answered)
  }

  #look(items: readonly Item[]): void {
    const total = items.reduce((sum, { weight }) => sum + weight, 0)
    if (this.#running >= LANES) this.#tell('more groups than lanes')
    if (items.length > 1 && total > ROOM) this.#tell('more in a group than it takes')
    if (items.length === 0) this.#tell('an empty group')
    // What was in somebody's way goes once more, as it was.
    const group = items.map(({ number }) => number).join()
    const isAgain = this.#groups.has(group)
    this.#groups.add(group)
    for (const { number } of items) {
      const { as } = this.asked[number] as Asked
      const last = this.#sent.get(as) ?? -1
      // One that was sent before is tried by itself.
      if (number > last) this.#sent.set(as, number)
      else if (items.length > 1 && !isAgain) this.#tell('out of order')
    }
  }

  #tell(problem: string): void {
    this.#world.unheard.push(new Error(problem))
  }
}

test('whatever fails, each is answered once, by what is its own, and its lane is free again', async (t) => {
  await explore(
    t,
    groupHistory,
    async (world, { deeds }) => {
      const watched = new WatchedWork(world)
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
      void watched.work.stop().then(() => {
        isStopped = true
      })
      await world.goOnUntil(() => isStopped)
      await assertEndsWhole(world, watched.pool)
    },
    { runs: 200 },
  )
})
