import type pg from 'pg'
import { Metrics } from '../observability/metrics.ts'
import { Distribution } from './citus/distribution.ts'
import { readShards } from './citus/read-distribution.ts'
import type { Connection, Statement } from './connection.ts'
import {
  CHECK_BATCHES,
  CHECK_LOCK_CONNECTIONS,
  CHECK_READ_CONNECTIONS,
  CONNECT_TIMEOUT_MS,
  IDENTITY_CONNECTIONS,
  MAX_CHECK_BATCHES,
  MAX_QUEUED_PER_ADDRESS,
  MAX_SUBMISSION_GROUPS,
  MAX_SUBMISSION_GROUPS_PER_NODE,
  MIN_CONNECTIONS,
  MIN_OTHER_CONNECTIONS,
  NODE_WRITE_TIMEOUT_MS,
  TEST_CLOCK_CONNECTIONS,
  WRITE_IDLE_TIMEOUT_MS,
} from './limits.ts'
import { Pool, type PoolOptions } from './pool/pool.ts'
import { type PooledConnection, SERVICE_ACCOUNT } from './pool/pooled-connection.ts'
import { connectTo } from './pool/server-address.ts'

export interface DatabaseOptions {
  connectionString: string
  /** At least `MIN_CONNECTIONS`. Connections above it are for reading and writing. */
  poolSize: number
  /** By default one PostgreSQL. Each further node of Citus needs connections beside `poolSize`. */
  distribution?: Distribution
  /** 0 for none. */
  statementTimeoutMs?: number
  metrics?: Metrics
}

/**
 * PostgreSQL with a pool of connections for each kind of work, so that no kind takes the connections of another. Its own `query` and
 * `transaction` write in the name of the service.
 */
export class Database implements Connection {
  readonly #connectionString: string
  readonly #pools: Pool[] = []
  readonly distribution: Distribution
  readonly poolSize: number
  readonly metrics: Metrics
  /** Batches of a scheduled check that may be in flight at once. */
  readonly maxCheckBatches: number
  /** Reads of accounts. */
  readonly reads: Pool
  /** Writes of accounts, except submissions and advances and deletions of test clocks. */
  readonly writes: Pool
  readonly clocks: Pool
  readonly submissions: Pool
  readonly checks: PooledConnection
  readonly identity: PooledConnection
  /** The connections of `identity` by caller: the address or session of a request whose account is not known yet. */
  readonly callers: Pool
  readonly #own: PooledConnection
  #reading: Promise<void> | null = null

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
    this.maxCheckBatches = Math.min(Math.max(CHECK_BATCHES, distribution.shards), MAX_CHECK_BATCHES)
    // Shards that are all on one node may later move to a second one.
    const nodes = distribution.isOn ? Math.max(2, distribution.nodes) : 1
    const groups = Math.min(MAX_SUBMISSION_GROUPS_PER_NODE * nodes, MAX_SUBMISSION_GROUPS)
    const others = MIN_OTHER_CONNECTIONS + Math.max(0, poolSize - MIN_CONNECTIONS)
    this.reads = share('reads', Math.ceil(others / 2))
    // On Citus a creation takes several statements.
    const writing = distribution.isOn && {
      statementTimeoutMs: Math.min(statementTimeoutMs ?? NODE_WRITE_TIMEOUT_MS, NODE_WRITE_TIMEOUT_MS),
    }
    const idleTransactionMs = WRITE_IDLE_TIMEOUT_MS
    this.writes = share('writes', Math.floor(others / 2), { idleTransactionMs, ...writing })
    this.clocks = share('test_clocks', TEST_CLOCK_CONNECTIONS)
    this.submissions = share('submissions', groups, {
      idleTransactionMs,
      maxPerAccount: Math.ceil(groups / 2),
      maxQueuedPerAccount: MAX_SUBMISSION_GROUPS_PER_NODE * nodes,
    })
    // Other jobs and the readiness check use the free connections of this pool.
    const reading = distribution.isOn ? CHECK_READ_CONNECTIONS : 0
    this.checks = share('checks', CHECK_LOCK_CONNECTIONS + reading + this.maxCheckBatches, {
      idleTransactionMs,
    }).for(SERVICE_ACCOUNT)
    this.callers = share('identity', IDENTITY_CONNECTIONS, {
      maxPerAccount: IDENTITY_CONNECTIONS,
      maxQueuedPerAccount: MAX_QUEUED_PER_ADDRESS,
    })
    this.identity = this.callers.for(SERVICE_ACCOUNT)
    this.#own = this.writes.for(SERVICE_ACCOUNT)
  }

  /**
   * Connections for submissions to claims of this node. Each node may use at most half of the pool, so that a node that does not
   * answer leaves connections for the others.
   */
  submissionsTo(node: number): PooledConnection {
    return this.submissions.for(this.distribution.isOn ? `node ${node}` : SERVICE_ACCOUNT)
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
    await Promise.all(lacking.map((pool) => pool.for(SERVICE_ACCOUNT).withConnection(async () => {})))
  }

  /** A connection outside the pools, for LISTEN and session locks. The caller ends it. */
  openSession(): Promise<pg.Client> {
    return connectTo(this.#connectionString, {
      query_timeout: CONNECT_TIMEOUT_MS,
      application_name: 'claimkeeper',
    })
  }

  /** A connection outside the pools without a statement timeout. The caller closes it. */
  openWithoutTimeout(): Pool {
    const { distribution } = this
    return new Pool({
      connectionString: this.#connectionString,
      size: 1,
      statementTimeoutMs: 0,
      distribution,
    })
  }

  /** Records that a node of Citus failed or did not answer, and reads the shards again, which may have moved. Does not wait. */
  markDown(node: number): void {
    if (!this.distribution.isOn || this.distribution.isDown(node)) return
    this.distribution.markDown(node)
    this.#reading ??= readShards(this.#own)
      .then((found) => this.distribution.update(found))
      .catch(() => {})
      .finally(() => {
        this.#reading = null
      })
  }

  async close(): Promise<void> {
    await Promise.all(this.#pools.map((pool) => pool.close()))
  }
}
