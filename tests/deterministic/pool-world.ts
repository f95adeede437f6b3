import assert from 'node:assert/strict'
import fc from 'fast-check'
import { type Connection, Pool, readClock, SERVICE_ACCOUNT } from '../support/source/database.ts'
import { type Fault, fault } from './faults.ts'
import { type AnyHistory, choices } from './history.ts'
import type { StoreClient } from './store-client.ts'
import type { World } from './world.ts'

/** How a caller uses its connection: correctly, or with an error. */
type Manner = 'query' | 'transaction' | 'throws' | 'forgets a transaction' | 'does not wait'
type Account = string | typeof SERVICE_ACCOUNT
type PoolOperation =
  | { do: 'acquire'; as: Account; manner: Manner }
  | { do: 'run steps'; steps: number }
  | { do: 'fault'; statement: string; fault: Fault }
  | { do: 'cut'; connection: number }

export interface PoolHistory extends AnyHistory {
  size: number
  operations: PoolOperation[]
}

const of = <const T extends string>(what: T) => ({ do: fc.constant(what) })
const manner = fc.constantFrom<Manner[]>(
  'query',
  'transaction',
  'throws',
  'forgets a transaction',
  'does not wait',
)
const statement = fc.constantFrom(
  'connect',
  'connection_settings',
  'BEGIN',
  'COMMIT',
  'ROLLBACK',
  'read_clock',
)
const operation: fc.Arbitrary<PoolOperation> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      ...of('acquire'),
      as: fc.constantFrom('A', 'A', 'B', 'C', SERVICE_ACCOUNT),
      manner,
    }),
  },
  { weight: 4, arbitrary: fc.record({ ...of('run steps'), steps: fc.integer({ min: 1, max: 12 }) }) },
  { weight: 3, arbitrary: fc.record({ ...of('fault'), statement, fault }) },
  { weight: 1, arbitrary: fc.record({ ...of('cut'), connection: fc.nat({ max: 3 }) }) },
)
export const poolHistory: fc.Arbitrary<PoolHistory> = fc.record({
  servers: fc.constant(0),
  size: fc.integer({ min: 1, max: 4 }),
  operations: fc.array(operation, { minLength: 1, maxLength: 40, size: 'max' }),
  choices,
})

/** A pool whose acquired connections are checked. */
export class WatchedPool {
  readonly pool: Pool
  readonly #world: World
  readonly #size: number
  readonly #acquired = new Map<Account, number>()
  readonly #accountOf = new Map<object, Account>()
  calls = 0
  answered = 0
  maxWaitMs = 0

  constructor(world: World, size: number) {
    this.#world = world
    this.#size = size
    this.pool = new Pool({ connectionString: 'postgres://nowhere', size })
    const { acquire, release } = this.pool
    this.pool.acquire = async (account) => {
      const since = world.scheduler.time.nowMs
      try {
        const client = await acquire.call(this.pool, account)
        this.#accountOf.set(client, account)
        this.#check(account, client)
        return client
      } finally {
        this.maxWaitMs = Math.max(this.maxWaitMs, world.scheduler.time.nowMs - since)
      }
    }
    this.pool.release = (client) => {
      this.#count(this.#accountOf.get(client) as Account, -1)
      release.call(this.pool, client)
    }
  }

  acquire(account: Account, manner: Manner): void {
    this.calls++
    const connections = this.pool.for(account)
    const work = (connection: Connection) => workIn(manner, connection)
    const done =
      manner === 'transaction' || manner === 'throws'
        ? connections.transaction(work)
        : connections.withConnection(work)
    const answered = () => this.answered++
    void done.then(answered, answered)
  }

  /** All connections can be acquired at once. */
  async assertAllConnectionsAvailable(): Promise<void> {
    const { promise: end, resolve } = Promise.withResolvers<void>()
    let acquired = 0
    for (let i = 0; i < this.#size; i++) {
      const work = async (connection: Connection) => {
        await readClock(connection)
        acquired++
        await end
      }
      this.calls++
      void this.pool
        .for(SERVICE_ACCOUNT)
        .withConnection(work)
        .then(() => this.answered++)
    }
    await this.#world.runFor(1_000)
    assert.equal(acquired, this.#size, 'not all connections can be acquired')
    resolve()
    await this.#world.runUntil(() => this.answered === this.calls)
  }

  #check(account: Account, client: { getTransactionStatus: () => string | null }): void {
    const { isFree } = client as unknown as StoreClient
    this.#count(account, 1)
    const acquired = this.#acquired.values().reduce((sum, count) => sum + count, 0)
    const own = this.#acquired.get(account) ?? 0
    const problem = [
      client.getTransactionStatus() !== 'I' && 'acquired within a transaction',
      !isFree && 'acquired while busy or closed',
      acquired > this.#size && 'more connections than the pool has',
      account !== SERVICE_ACCOUNT &&
        own > Math.max(1, this.#size - 1) &&
        'more connections than the quota of an account',
    ].find(Boolean)
    if (problem) this.#world.problems.push(new Error(problem))
  }

  #count(account: Account, by: number): void {
    this.#acquired.set(account, (this.#acquired.get(account) ?? 0) + by)
  }
}

/** Closes the pool. Fails on any problem, lock or timer that is left. */
export async function assertClosesCleanly(world: World, pool: Pool): Promise<void> {
  let isClosed = false
  void pool.close().then(() => {
    isClosed = true
  })
  await world.runUntil(() => isClosed && world.scheduler.pending === 0)
  assert.deepEqual(world.problems.map(String), [])
  assert.deepEqual([world.store.held, world.scheduler.time.pendingTimers], [[], 0], 'locks and timers')
}

async function workIn(manner: Manner, connection: Connection): Promise<void> {
  if (manner === 'forgets a transaction') await connection.query({ text: 'BEGIN' })
  const query = readClock(connection)
  query.catch(() => {})
  if (manner !== 'does not wait') await query
  if (manner === 'throws') throw new Error('the work fails')
}
