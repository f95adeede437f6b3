import assert from 'node:assert/strict'
import fc from 'fast-check'
import { type Connection, Pool, readClock, SERVICE } from '../support/source/database.ts'
import { type Fault, fault } from './faults.ts'
import { type AnyHistory, choices } from './history.ts'
import type { StoreClient } from './store-client.ts'
import type { World } from './world.ts'

/** What a borrower does: as it should; or it throws, leaves a transaction open, or does not wait for its statement. */
type Manner = 'query' | 'transaction' | 'throws' | 'forgets a transaction' | 'does not wait'
type Account = string | typeof SERVICE
type PoolDeed =
  | { do: 'borrow'; as: Account; manner: Manner }
  | { do: 'go on'; steps: number }
  | { do: 'fault'; site: string; fault: Fault }
  | { do: 'cut'; connection: number }

export interface PoolHistory extends AnyHistory {
  size: number
  deeds: PoolDeed[]
}

const of = <const T extends string>(what: T) => ({ do: fc.constant(what) })
const manner = fc.constantFrom<Manner[]>(
  'query',
  'transaction',
  'throws',
  'forgets a transaction',
  'does not wait',
)
const site = fc.constantFrom('connect', 'connection_settings', 'BEGIN', 'COMMIT', 'ROLLBACK', 'read_clock')
const deed: fc.Arbitrary<PoolDeed> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ ...of('borrow'), as: fc.constantFrom('A', 'A', 'B', 'C', SERVICE), manner }),
  },
  { weight: 4, arbitrary: fc.record({ ...of('go on'), steps: fc.integer({ min: 1, max: 12 }) }) },
  { weight: 3, arbitrary: fc.record({ ...of('fault'), site, fault }) },
  { weight: 1, arbitrary: fc.record({ ...of('cut'), connection: fc.nat({ max: 3 }) }) },
)
export const poolHistory: fc.Arbitrary<PoolHistory> = fc.record({
  servers: fc.constant(0),
  size: fc.integer({ min: 1, max: 4 }),
  deeds: fc.array(deed, { minLength: 1, maxLength: 40, size: 'max' }),
  choices,
})

/** A pool of which each loan is looked at. */
export class WatchedPool {
  readonly pool: Pool
  readonly #world: World
  readonly #size: number
  readonly #lent = new Map<Account, number>()
  readonly #accountOf = new Map<object, Account>()
  calls = 0
  answered = 0
  longestWaitMs = 0

  constructor(world: World, size: number) {
    this.#world = world
    this.#size = size
    this.pool = new Pool({ connectionString: 'postgres://nowhere', size })
    const { acquire, release } = this.pool
    this.pool.acquire = async (account) => {
      const since = world.course.time.nowMs
      try {
        const client = await acquire.call(this.pool, account)
        this.#accountOf.set(client, account)
        this.#look(account, client)
        return client
      } finally {
        this.longestWaitMs = Math.max(this.longestWaitMs, world.course.time.nowMs - since)
      }
    }
    this.pool.release = (client) => {
      this.#count(this.#accountOf.get(client) as Account, -1)
      release.call(this.pool, client)
    }
  }

  borrow(account: Account, manner: Manner): void {
    this.calls++
    const borrower = this.pool.for(account)
    const work = (connection: Connection) => workIn(manner, connection)
    const done =
      manner === 'transaction' || manner === 'throws'
        ? borrower.transaction(work)
        : borrower.withConnection(work)
    const answered = () => this.answered++
    void done.then(answered, answered)
  }

  /** All of it can be had at once, as at the beginning. */
  async assertIsWhole(): Promise<void> {
    const { promise: end, resolve } = Promise.withResolvers<void>()
    let lent = 0
    for (let i = 0; i < this.#size; i++) {
      const work = async (connection: Connection) => {
        await readClock(connection)
        lent++
        await end
      }
      this.calls++
      void this.pool
        .for(SERVICE)
        .withConnection(work)
        .then(() => this.answered++)
    }
    await this.#world.goOnFor(1_000)
    assert.equal(lent, this.#size, 'not all connections can be had')
    resolve()
    await this.#world.goOnUntil(() => this.answered === this.calls)
  }

  #look(account: Account, client: { getTransactionStatus: () => string | null }): void {
    const { isFree } = client as unknown as StoreClient
    this.#count(account, 1)
    const lent = this.#lent.values().reduce((sum, count) => sum + count, 0)
    const own = this.#lent.get(account) ?? 0
    const problem = [
      client.getTransactionStatus() !== 'I' && 'lent within a transaction',
      !isFree && 'lent while it was busy or gone',
      lent > this.#size && 'more than there are',
      account !== SERVICE && own > Math.max(1, this.#size - 1) && 'more than its share',
    ].find(Boolean)
    if (problem) this.#world.problems.push(new Error(problem))
  }

  #count(account: Account, by: number): void {
    this.#lent.set(account, (this.#lent.get(account) ?? 0) + by)
  }
}

/** Closes the pool; no problem was found, and no lock or timer is left. */
export async function assertEndsWhole(world: World, pool: Pool): Promise<void> {
  let isClosed = false
  void pool.close().then(() => {
    isClosed = true
  })
  await world.goOnUntil(() => isClosed && world.course.waiting === 0)
  assert.deepEqual(world.problems.map(String), [])
  assert.deepEqual([world.store.held, world.course.time.waiting], [[], 0], 'locks and timers')
}

async function workIn(manner: Manner, connection: Connection): Promise<void> {
  if (manner === 'forgets a transaction') await connection.query({ text: 'BEGIN' })
  const asked = readClock(connection)
  asked.catch(() => {})
  if (manner !== 'does not wait') await asked
  if (manner === 'throws') throw new Error('the work fails')
}
