import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { Batcher } from '../../src/platform/concurrency/batcher.ts'
import { newStatementBatcher } from '../../src/platform/database/statement-batcher.ts'
import { Pool, readClock, SERVICE_ACCOUNT } from '../support/source/database.ts'
import { ServiceError } from '../support/source/errors.ts'
import { explore } from './explore.ts'
import { type Fault, fault } from './faults.ts'
import { type AnyHistory, choices } from './history.ts'
import { assertClosesCleanly } from './pool-world.ts'
import type { World } from './world.ts'

/* A statement batcher with a database in memory that fails and answers in any order. */

interface Item {
  number: number
  weight: number
  /** The database refuses a batch with this item. */
  isBad: boolean
}
type BatchOperation =
  | { do: 'submit'; account: string; weight: number; isBad: boolean }
  | { do: 'run steps'; steps: number }
  | { do: 'fault'; statement: string; fault: Fault }
  | { do: 'cut'; connection: number }
interface BatchHistory extends AnyHistory {
  operations: BatchOperation[]
}

const MAX_WEIGHT = 5
const MAX_IN_FLIGHT = 2
/** Longest time in the queue. */
const QUEUE_TIMEOUT_MS = 5_000
/** From the submission to the result: the queue, then a connection and the statement. */
const MAX_RESULT_MS = QUEUE_TIMEOUT_MS + 50_000

const operationOf = <const T extends string>(kind: T) => ({ do: fc.constant(kind) })
const submit = fc.record({
  ...operationOf('submit'),
  account: fc.constantFrom('A', 'A', 'B', 'C'),
  weight: fc.integer({ min: 0, max: 7 }),
  isBad: fc.integer({ min: 0, max: 9 }).map((n) => n === 0),
})
const operation: fc.Arbitrary<BatchOperation> = fc.oneof(
  { weight: 8, arbitrary: submit },
  { weight: 4, arbitrary: fc.record({ ...operationOf('run steps'), steps: fc.integer({ min: 1, max: 6 }) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      ...operationOf('fault'),
      statement: fc.constantFrom('connect', 'read_clock'),
      fault,
    }),
  },
  { weight: 1, arbitrary: fc.record({ ...operationOf('cut'), connection: fc.nat({ max: 2 }) }) },
)
const batchHistory: fc.Arbitrary<BatchHistory> = fc.record({
  servers: fc.constant(0),
  operations: fc.array(operation, { minLength: 1, maxLength: 60, size: 'max' }),
  choices,
})

interface SubmittedItem {
  item: Item
  account: string
  submittedAtMs: number
  result: number | Error | null
}

/** Checks each batch of a batcher. */
class CheckedBatcher {
  readonly pool = new Pool({ connectionString: 'postgres://nowhere', size: 3 })
  readonly submitted: SubmittedItem[] = []
  readonly batcher: Batcher<Item, number>
  readonly #world: World
  #running = 0
  /** The number of the newest item of each account that was in a batch. */
  readonly #newest = new Map<string, number>()
  readonly #batches = new Set<string>()

  constructor(world: World) {
    this.#world = world
    this.batcher = newStatementBatcher<Item, number>({
      db: this.pool.for(SERVICE_ACCOUNT),
      maxWeight: MAX_WEIGHT,
      weightOf: ({ weight }) => weight,
      run: async (db, items) => {
        this.#check(items)
        this.#running++
        try {
          await readClock(db)
          if (items.some(({ isBad }) => isBad)) throw new Error('the database refuses the batch')
          return items.map(({ number }) => 2 * number)
        } finally {
          this.#running--
        }
      },
    })
  }

  submit(account: string, weight: number, isBad: boolean): void {
    const item = { number: this.submitted.length, weight, isBad }
    const { time } = this.#world.scheduler
    const submitted: SubmittedItem = { item, account, submittedAtMs: time.nowMs, result: null }
    this.submitted.push(submitted)
    const settle = (result: number | Error) => {
      if (submitted.result !== null) this.#report('settled twice')
      if (time.nowMs - submitted.submittedAtMs > MAX_RESULT_MS) this.#report('settled late')
      submitted.result = result
    }
    void this.batcher.submit(account, item).then(settle, settle)
  }

  #check(items: readonly Item[]): void {
    const total = items.reduce((sum, { weight }) => sum + weight, 0)
    if (this.#running >= MAX_IN_FLIGHT) this.#report('too many batches in flight')
    if (items.length > 1 && total > MAX_WEIGHT) this.#report('a batch is too heavy')
    if (items.length === 0) this.#report('an empty batch')
    // After a transient error the same batch runs once more.
    const batch = items.map(({ number }) => number).join()
    const isRetry = this.#batches.has(batch)
    this.#batches.add(batch)
    for (const { number } of items) {
      const { account } = this.submitted[number] as SubmittedItem
      const last = this.#newest.get(account) ?? -1
      // After a refused batch, each item is retried individually.
      if (number > last) this.#newest.set(account, number)
      else if (items.length > 1 && !isRetry) this.#report('out of order')
    }
  }

  #report(problem: string): void {
    this.#world.problems.push(new Error(problem))
  }
}

test('after any faults, each item gets its own result once, and the next batch runs', async (t) => {
  await explore(
    t,
    batchHistory,
    async (world, { operations }) => {
      const checked = new CheckedBatcher(world)
      for (const operation of operations) {
        if (operation.do === 'submit') checked.submit(operation.account, operation.weight, operation.isBad)
        else await world.perform([operation])
      }
      await world.drain()
      const areSettled = () => checked.submitted.every(({ result }) => result !== null)
      await world.runUntil(areSettled)
      for (const { item, result } of checked.submitted) {
        if (typeof result === 'number') assert.deepEqual([result, item.isBad], [2 * item.number, false])
        // Errors also occur without a fault: virtual time may pass a timeout before a connection is open.
        else
          assert.ok(
            item.isBad ||
              result instanceof ServiceError ||
              (world.wasDisturbed && /SQLSTATE|refused/.test(`${result}`)),
            `${result}`,
          )
      }
      checked.submit('A', 1, false)
      checked.submit('B', 1, true)
      await world.runUntil(areSettled)
      const [good, bad] = checked.submitted.slice(-2) as [SubmittedItem, SubmittedItem]
      assert.equal(good.result, 2 * good.item.number)
      assert.ok(bad.result instanceof Error)

      let isStopped = false
      void checked.batcher.stop().then(() => {
        isStopped = true
      })
      await world.runUntil(() => isStopped)
      await assertClosesCleanly(world, checked.pool)
    },
    { runs: 200 },
  )
})
