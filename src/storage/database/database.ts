import pg from 'pg'
import { Distribution } from '../distribution/distribution.ts'
import type { Connection, Statement } from './connection.ts'
import type { Borrower } from './lending/borrower.ts'
import { type AccountBounds, THE_SERVICE } from './lending/places.ts'
import { CONNECT_TIMEOUT_MS, Pool } from './lending/pool.ts'

/** Connections that each kind of work has for itself, so that none starves another. */
interface Shares {
  /** Who is asking: tokens, sessions, signing in and up. */
  identity: number
  /** Advances and deletions of test clocks, which hold theirs for as long as they take. */
  clocks: number
}
const FIXED: Shares = { identity: 2, clocks: 3 }
/** Batches of a scheduled check that are moved at once; on distributed tables one for each shard, of a few. */
const MOVES = 2
const MOST_MOVES = 8
/** Groups of submissions that go at once; on distributed tables of each shard, or if there are many shards half as many. */
const LANES = 2
const MANY_SHARDS = 16
/** On distributed tables a write has several statements: what they have locked is not to outlast their server by long. */
const HELD_MS = 15_000
/** Of submissions, on distributed tables. With still more shards they share them. */
const MOST_LANES = 32
/**
 * What they cost is a short statement each, so one may have all places. If tokens are not remembered, each request of a
 * caller waits here, all of them from one address.
 */
const OF_CALLER: AccountBounds = { places: FIXED.identity, waiting: 750 }
/** The fixed shares, with one connection each for reading and for writing. */
export const LEAST_CONNECTIONS = Object.values(FIXED).reduce((sum, size) => sum + size, 3 + LANES + MOVES)

export interface DatabaseOptions {
  connectionString: string
  /** Connections at most, `LEAST_CONNECTIONS` or more: what the fixed shares leave is for reading and writing. */
  poolSize: number
  /** Where claims are; by default all in one place. Each shard but the first needs connections besides `poolSize`. */
  distribution?: Distribution
  /** 0 for none. */
  statementTimeoutMs?: number
}

/** PostgreSQL, by a share of connections for each kind of work. Used by itself, it is what writes for the service. */
export class Database implements Connection {
  readonly #connectionString: string
  readonly #pools: Pool[] = []
  readonly distribution: Distribution
  /** Batches of a scheduled check that are moved at once. */
  readonly moves: number
  /** Groups of submissions to the claims of one shard that go at once. */
  readonly lanesOfShard: number
  /** Of accounts: all that only reads. */
  readonly reads: Pool
  /** Of accounts: all that writes, but for submissions, and advances and deletions of test clocks. */
  readonly writes: Pool
  readonly clocks: Pool
  readonly submissions: Borrower
  readonly checks: Borrower
  readonly identity: Borrower
  /** The connections of `identity`, in the name of who is yet to be known (by address or session), or just was. */
  readonly callers: Pool
  readonly #own: Borrower

  constructor({ connectionString, poolSize, statementTimeoutMs, ...options }: DatabaseOptions) {
    this.#connectionString = connectionString
    const { distribution = new Distribution() } = options
    this.distribution = distribution
    this.lanesOfShard = distribution.shards > MANY_SHARDS ? LANES / 2 : LANES
    const share = (size: number, ofAccount?: AccountBounds, idleTransactionMs?: number) => {
      const pool = new Pool({
        connectionString,
        size,
        statementTimeoutMs,
        ofAccount,
        idleTransactionMs,
        distribution,
      })
      this.#pools.push(pool)
      return pool
    }
    const { identity, clocks } = FIXED
    this.moves = Math.min(Math.max(MOVES, distribution.shards), MOST_MOVES)
    const lanes = Math.min(this.lanesOfShard * distribution.shards, MOST_LANES)
    const others = 2 + Math.max(0, poolSize - LEAST_CONNECTIONS)
    this.reads = share(Math.ceil(others / 2))
    this.writes = share(Math.floor(others / 2), undefined, distribution.isOn ? HELD_MS : undefined)
    this.clocks = share(clocks)
    this.submissions = share(lanes, undefined, HELD_MS).for(THE_SERVICE)
    // Besides the moves: the turn, or the next batch; other jobs, and whether the service is ready, take what is free.
    this.checks = share(1 + this.moves).for(THE_SERVICE)
    this.callers = share(identity, OF_CALLER)
    this.identity = this.callers.for(THE_SERVICE)
    this.#own = this.writes.for(THE_SERVICE)
  }

  query<Row>(statement: Statement): Promise<Row[]> {
    return this.#own.query(statement)
  }

  transaction<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
    return this.#own.transaction(work)
  }

  /** A connection outside the shares, for what belongs to a session. Its owner ends it. */
  async openSession(): Promise<pg.Client> {
    const client = new pg.Client({
      connectionString: this.#connectionString,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      query_timeout: CONNECT_TIMEOUT_MS,
      keepAlive: true,
      application_name: 'claimkeeper',
    })
    // A connection that breaks shows in the next query and in the event 'end'; unheard, this would end the process.
    client.on('error', () => {})
    await client.connect()
    return client
  }

  async close(): Promise<void> {
    await Promise.all(this.#pools.map((pool) => pool.close()))
  }
}
