import pg from 'pg'
import type { Connection, Statement } from './connection.ts'
import type { Borrower } from './lending/borrower.ts'
import { type AccountBounds, THE_SERVICE } from './lending/places.ts'
import { CONNECT_TIMEOUT_MS, Pool } from './lending/pool.ts'

/** Connections that each kind of work has for itself, so that none starves another. */
interface Shares {
  /** Groups of submissions: as many as go at once. */
  submissions: number
  /** Scheduled checks (the turn, the next batch, the moves), other jobs, and whether the service is ready. */
  checks: number
  /** Who is asking: tokens, sessions, signing in and up. */
  identity: number
  /** Advances and deletions of test clocks, which hold theirs for as long as they take. */
  clocks: number
}
const FIXED: Shares = { submissions: 2, checks: 3, identity: 2, clocks: 3 }
/**
 * What they cost is a short statement each, so one may have all places. If tokens are not remembered, each request of a
 * caller waits here, all of them from one address.
 */
const OF_CALLER: AccountBounds = { places: FIXED.identity, waiting: 750 }
/** The fixed shares, with one connection each for reading and for writing. */
export const LEAST_CONNECTIONS = Object.values(FIXED).reduce((sum, size) => sum + size, 2)

export interface DatabaseOptions {
  connectionString: string
  /** Connections at most, `LEAST_CONNECTIONS` or more: what the fixed shares leave is for reading and writing. */
  poolSize: number
  /** 0 for none. */
  statementTimeoutMs?: number
}

/** PostgreSQL, by a share of connections for each kind of work. Used by itself, it is what writes for the service. */
export class Database implements Connection {
  readonly #connectionString: string
  readonly #pools: Pool[] = []
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

  constructor({ connectionString, poolSize, statementTimeoutMs }: DatabaseOptions) {
    this.#connectionString = connectionString
    const share = (size: number, ofAccount?: AccountBounds) => {
      const pool = new Pool({ connectionString, size, statementTimeoutMs, ofAccount })
      this.#pools.push(pool)
      return pool
    }
    const { submissions, checks, identity, clocks } = FIXED
    const others = 2 + Math.max(0, poolSize - LEAST_CONNECTIONS)
    this.reads = share(Math.ceil(others / 2))
    this.writes = share(Math.floor(others / 2))
    this.clocks = share(clocks)
    this.submissions = share(submissions).for(THE_SERVICE)
    this.checks = share(checks).for(THE_SERVICE)
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
