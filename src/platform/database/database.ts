import type pg from 'pg'
import { Metrics } from '../observability/metrics.ts'
import { Distribution } from './citus/distribution.ts'
import { readShards } from './citus/read-distribution.ts'
import type { Connection, Statement } from './connection.ts'
import { CONNECT_TIMEOUT_MS } from './connection-settings.ts'
import { Pool, type PoolOptions } from './pool/pool.ts'
import { type PooledConnection, SERVICE } from './pool/pooled-connection.ts'
import { connectTo } from './pool/server-address.ts'

/** Connections that each kind of work has for itself, so that none starves another. */
interface Shares {
  /** Who is asking: tokens, sessions, signing in and up. */
  identity: number
  /** Advances and deletions of test clocks, which hold theirs for as long as they take. */
  clocks: number
}
const FIXED: Shares = { identity: 2, clocks: 3 }
/** Groups of submissions that go at once; on distributed tables to each machine. */
export const LANES_OF_MACHINE = 2
/** Of all machines together. If there are still more, they share these. */
const MOST_LANES = 32
/** Batches of a scheduled check that are moved at once; on distributed tables as many as there are shards, if these are few. */
const MOVES = 2
const MOST_MOVES = 8
/** Of a scheduled check, besides: it holds the turn, and reads the next batches; on distributed tables another one does. */
const TURN = 1
const WALK = 1
/** One for reading, one for writing. */
const LEAST_OTHERS = 2
/** With these each kind of work has its share. */
export const LEAST_CONNECTIONS =
  FIXED.identity + FIXED.clocks + LANES_OF_MACHINE + MOVES + TURN + LEAST_OTHERS
/**
 * For how long a transaction that writes claims may wait for its next statement: what it has locked is not to outlast its
 * server by long.
 */
const HELD_MS = 15_000
/** On distributed tables, for a statement that writes: a machine that is silent has its creators wait no longer. */
const WRITE_MS = 10_000
/**
 * Requests of one address that wait for a connection of `identity`. If no token is cached, each request waits there. Each runs one
 * short statement, so an address may have all connections.
 */
const MAX_QUEUED_PER_ADDRESS = 750

export interface DatabaseOptions {
  connectionString: string
  /** Connections at most, `LEAST_CONNECTIONS` or more: what the fixed shares leave is for reading and writing. */
  poolSize: number
  /** Where claims are; by default all in one place. Each machine but the first needs connections besides `poolSize`. */
  distribution?: Distribution
  /** 0 for none. */
  statementTimeoutMs?: number
  metrics?: Metrics
}

/** PostgreSQL, by a share of connections for each kind of work. Used by itself, it is what writes for the service. */
export class Database implements Connection {
  readonly #connectionString: string
  readonly #pools: Pool[] = []
  readonly distribution: Distribution
  readonly poolSize: number
  /** Of all that works on it. */
  readonly metrics: Metrics
  /** Batches of a scheduled check that are moved at once. */
  readonly moves: number
  /** Of accounts: all that only reads. */
  readonly reads: Pool
  /** Of accounts: all that writes, but for submissions, and advances and deletions of test clocks. */
  readonly writes: Pool
  readonly clocks: Pool
  readonly submissions: Pool
  readonly checks: PooledConnection
  readonly identity: PooledConnection
  /** The connections of `identity`, in the name of who is yet to be known (by address or session), or just was. */
  readonly callers: Pool
  readonly #own: PooledConnection
  #finding: Promise<void> | null = null

  constructor({ connectionString, poolSize, statementTimeoutMs, ...options }: DatabaseOptions) {
    this.#connectionString = connectionString
    const { distribution = new Distribution(), metrics = new Metrics() } = options
    this.distribution = distribution
    this.poolSize = poolSize
    this.metrics = metrics
    const share = (name: string, size: number, own: Partial<PoolOptions> = {}) => {
      const measured = { by: metrics, as: name }
      const pool = new Pool({ connectionString, size, statementTimeoutMs, distribution, measured, ...own })
      this.#pools.push(pool)
      return pool
    }
    const { identity, clocks } = FIXED
    this.moves = Math.min(Math.max(MOVES, distribution.shards), MOST_MOVES)
    // Shards may be on one machine at first, and on more later.
    const machines = distribution.isOn ? Math.max(2, distribution.machines) : 1
    const lanes = Math.min(LANES_OF_MACHINE * machines, MOST_LANES)
    const others = LEAST_OTHERS + Math.max(0, poolSize - LEAST_CONNECTIONS)
    this.reads = share('reads', Math.ceil(others / 2))
    // On distributed tables to create claims takes several statements.
    const writing = distribution.isOn && {
      statementTimeoutMs: Math.min(statementTimeoutMs ?? WRITE_MS, WRITE_MS),
    }
    this.writes = share('writes', Math.floor(others / 2), { idleTransactionMs: HELD_MS, ...writing })
    this.clocks = share('test_clocks', clocks)
    this.submissions = share('submissions', lanes, {
      idleTransactionMs: HELD_MS,
      maxPerAccount: Math.ceil(lanes / 2),
      maxQueuedPerAccount: LANES_OF_MACHINE * machines,
    })
    // Other jobs, and whether the service is ready, take what is free.
    this.checks = share('checks', TURN + (distribution.isOn ? WALK : 0) + this.moves, {
      idleTransactionMs: HELD_MS,
    }).for(SERVICE)
    this.callers = share('identity', identity, {
      maxPerAccount: identity,
      maxQueuedPerAccount: MAX_QUEUED_PER_ADDRESS,
    })
    this.identity = this.callers.for(SERVICE)
    this.#own = this.writes.for(SERVICE)
  }

  /**
   * For a group of submissions to claims of this machine. One of several has half of the connections at most, so
   * that one that does not answer leaves the others theirs.
   */
  submissionsTo(machine: number): PooledConnection {
    return this.submissions.for(this.distribution.isOn ? `machine ${machine}` : SERVICE)
  }

  query<Row>(statement: Statement): Promise<Row[]> {
    return this.#own.query(statement)
  }

  transaction<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
    return this.#own.transaction(work)
  }

  /**
   * Retries in each pool whose last connection PostgreSQL refused because there were too many: one pool may have no connection while
   * others work.
   * @throws DatabaseUnavailable if PostgreSQL refuses again
   */
  async requireConnections(): Promise<void> {
    const lacking = this.#pools.filter(({ lacksConnections }) => lacksConnections)
    await Promise.all(lacking.map((pool) => pool.for(SERVICE).withConnection(async () => {})))
  }

  /** A connection outside the shares, for what belongs to a session. Its owner ends it. */
  openSession(): Promise<pg.Client> {
    return connectTo(this.#connectionString, {
      query_timeout: CONNECT_TIMEOUT_MS,
      application_name: 'claimkeeper',
    })
  }

  /** A connection outside the shares, whose statements take as long as they need. Its owner closes it. */
  openUnhurried(): Pool {
    const { distribution } = this
    return new Pool({
      connectionString: this.#connectionString,
      size: 1,
      statementTimeoutMs: 0,
      distribution,
    })
  }

  /** A machine of several has failed, or did not answer: shards may have moved to another. Returns at once. */
  noteAway(machine: number): void {
    if (!this.distribution.isOn || this.distribution.isAway(machine)) return
    this.distribution.noteAway(machine)
    this.#finding ??= readShards(this.#own)
      .then((found) => this.distribution.takeOver(found))
      .catch(() => {})
      .finally(() => {
        this.#finding = null
      })
  }

  async close(): Promise<void> {
    await Promise.all(this.#pools.map((pool) => pool.close()))
  }
}
