import pg from 'pg'
import { withTimeout } from '../../../kernel/promises.ts'
import { FairSemaphore, type Permit } from '../../concurrency/fair-semaphore.ts'
import type { Metrics } from '../../observability/metrics.ts'
import { Distribution } from '../citus/distribution.ts'
import { POOL_SETTINGS, setUpSession } from '../connection-settings.ts'
import { DatabaseOverloaded, DatabaseUnavailable, isConnectionLost } from '../database-unavailable.ts'
import {
  CLOSE_GRACE_MS,
  CLOSE_TIMEOUT_MS,
  CONNECT_TIMEOUT_MS,
  IDLE_TRANSACTION_TIMEOUT_MS,
  MAX_QUEUED,
  MAX_QUEUED_PER_ACCOUNT,
  RESPONSE_TIMEOUT_MS,
  RESPONSE_WATCH_INTERVAL_MS,
  STATEMENT_TIMEOUT_MS,
} from '../limits.ts'
import { TYPES } from '../parse-time.ts'
import { type Account, type ConnectionPool, PooledConnection, SERVICE_ACCOUNT } from './pooled-connection.ts'
import { isEncryptionError, parseServerAddress, type ServerAddress } from './server-address.ts'

const NOT_REACHED = 'The database cannot be reached.'
const NO_MORE_CONNECTIONS =
  'The database gives this server no more connections: it allows fewer than DATABASE_POOL_SIZE, or others have them.'

export interface PoolOptions {
  connectionString: string
  /** Connections at most. */
  size: number
  /** 0 for none. */
  statementTimeoutMs?: number | undefined
  /** Connections of one account. By default all but one, so that another account's work begins at once. */
  maxPerAccount?: number | undefined
  maxQueuedPerAccount?: number | undefined
  /** How long a transaction may wait for its next statement while it holds its locks. */
  idleTransactionMs?: number | undefined
  /** The shards of claims. By default none. */
  distribution?: Distribution
  /** The name of the pool in the metrics. By default nothing is measured. */
  measured?: { by: Metrics; as: string }
}

/** The driver does not track this state. Times are those of performance.now(). */
interface ConnectionState {
  /** When the statement in flight was sent. Null if none is in flight. */
  sentAt: number | null
  /** The server has said that it ends the connection. */
  isEnding: boolean
  openedAt: number
}

/**
 * Connections to PostgreSQL. Broken connections are replaced, also after a restart of the database. A fair semaphore
 * limits the connections of an account and queues requests.
 * | Only idle connections are leased: a connection that has a statement or a transaction open when it is leased or
 * released is destroyed.
 */
export class Pool implements ConnectionPool {
  readonly #pool: pg.Pool
  /** The encryption of a second attempt to connect. */
  #fallback: ServerAddress['fallback']
  readonly #size: number
  readonly #permits: FairSemaphore
  readonly #leases = new Map<pg.PoolClient, Permit>()
  readonly #states = new Map<pg.PoolClient, ConnectionState>()
  readonly #watch: NodeJS.Timeout
  #observeWait: ((seconds: number) => void) | null = null
  #lacksConnections = false
  readonly distribution: Distribution

  constructor(options: PoolOptions) {
    const { connectionString, size, statementTimeoutMs = STATEMENT_TIMEOUT_MS } = options
    if (options.measured) this.#observeWait = this.#measure(options.measured)
    this.distribution = options.distribution ?? new Distribution()
    this.#size = size
    this.#permits = new FairSemaphore({
      max: size,
      maxPerKey: options.maxPerAccount ?? Math.max(1, size - 1),
      maxQueued: MAX_QUEUED,
      maxQueuedPerKey: options.maxQueuedPerAccount ?? MAX_QUEUED_PER_ACCOUNT,
      timeoutMs: CONNECT_TIMEOUT_MS,
      exemptKey: SERVICE_ACCOUNT,
      createError: (reason) =>
        new DatabaseOverloaded(
          reason === 'timeout'
            ? 'No connection to the database was free in time.'
            : 'Too many requests are waiting for the database.',
        ),
    })
    const { config, fallback } = parseServerAddress(connectionString)
    this.#fallback = fallback
    const timeouts = {
      statementMs: statementTimeoutMs,
      idleTransactionMs: options.idleTransactionMs ?? IDLE_TRANSACTION_TIMEOUT_MS,
    }
    this.#pool = new pg.Pool({
      ...config,
      max: size,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      keepAlive: true,
      application_name: 'claimkeeper',
      types: TYPES,
      onConnect: (client) => setUpSession(client, timeouts, POOL_SETTINGS),
    })
    // The server ends a statement first. This is for a server that does not respond any more.
    const maxMs = statementTimeoutMs === 0 ? Infinity : statementTimeoutMs + RESPONSE_TIMEOUT_MS
    this.#watch = setInterval(() => this.#closeSilent(maxMs), RESPONSE_WATCH_INTERVAL_MS).unref()
    // Errors of idle connections are emitted here, those of busy connections by their statements too. An error event without a
    // listener would end the process.
    this.#pool.on('error', () => {})
    this.#pool.on('connect', (client) => {
      client.on('error', () => {})
      this.#states.set(client, { sentAt: null, isEnding: false, openedAt: performance.now() })
    })
    this.#pool.on('remove', (client) => this.#states.delete(client))
  }

  /** Runs statements on behalf of an account. */
  for(account: Account): PooledConnection {
    return new PooledConnection(this, account)
  }

  /** PostgreSQL refused the last connection because there are too many. */
  get lacksConnections(): boolean {
    return this.#lacksConnections
  }

  async acquire(account: Account): Promise<pg.PoolClient> {
    const since = performance.now()
    const permit = await this.#permits.acquire(account)
    try {
      const client = await this.#connect()
      this.#leases.set(client, permit)
      this.#lacksConnections = false
      this.#observeWait?.((performance.now() - since) / 1_000)
      return client
    } catch (error) {
      permit.release()
      this.#lacksConnections = isTooMany(error)
      throw new DatabaseUnavailable(
        isTooMany(error) ? NO_MORE_CONNECTIONS : NOT_REACHED,
        'not applied',
        error,
      )
    }
  }

  release(client: pg.PoolClient): void {
    const permit = this.#leases.get(client)
    this.#leases.delete(client)
    client.release(!this.#isIdle(client))
    permit?.release()
  }

  /**
   * Takes a callback, and one timer watches all connections: the driver's timeout and its promise each link a statement to the one
   * before, so that all of them live until V8 collects its old generation.
   */
  send(client: pg.PoolClient, config: pg.QueryConfig): Promise<pg.QueryResult> {
    const state = this.#states.get(client) as ConnectionState
    state.sentAt = performance.now()
    return new Promise((resolve, reject) => {
      // biome-ignore lint/nursery/noFloatingPromises: it returns no promise if it has a callback
      client.query(config, (error: Error | null, result) => {
        state.sentAt = null
        if (!error) return resolve(result)
        state.isEnding ||= isConnectionLost(error)
        reject(error)
      })
    })
  }

  /** Waits for statements in flight, then destroys their connections. */
  async close(): Promise<void> {
    this.#permits.rejectQueued()
    // Repeated, because connections that are being opened appear later.
    const destroying = setInterval(() => {
      for (const client of this.#states.keys()) destroy(client)
    }, CLOSE_GRACE_MS)
    await withTimeout(CLOSE_TIMEOUT_MS, this.#pool.end())
    clearInterval(destroying)
    clearInterval(this.#watch)
  }

  /** Returns a function that observes how long a caller waited for a connection. */
  #measure({ by, as: pool }: { by: Metrics; as: string }): (seconds: number) => void {
    const { poolConnections, poolSize, poolWaiting, poolWaitSeconds } = by.instruments
    by.onRead(() => {
      const idle = this.#pool.idleCount
      poolConnections.set({ pool, state: 'idle' }, idle)
      poolConnections.set({ pool, state: 'used' }, this.#pool.totalCount - idle)
      poolSize.set({ pool }, this.#size)
      poolWaiting.set({ pool }, this.#permits.queued)
    })
    const waits = poolWaitSeconds.labels({ pool })
    return (seconds) => waits.observe(seconds)
  }

  /** Returns an idle connection. Destroys those that are not idle. */
  async #connect(): Promise<pg.PoolClient> {
    for (let tries = 0; tries <= this.#size; tries++) {
      const client = await this.#connectOrFallBack()
      if (this.#isIdle(client)) return client
      client.release(true)
    }
    throw new Error('no connection was idle')
  }

  /** If the second attempt was needed once, its encryption is the first attempt from then on. */
  async #connectOrFallBack(): Promise<pg.PoolClient> {
    const { options } = this.#pool
    const tried = options.ssl
    try {
      return await this.#pool.connect()
    } catch (error) {
      if (this.#fallback === null || !isEncryptionError(error)) throw error
      // A concurrent call may have exchanged them.
      if (options.ssl === tried) [options.ssl, this.#fallback] = [this.#fallback, tried ?? false]
      return this.#pool.connect()
    }
  }

  #isIdle(client: pg.PoolClient): boolean {
    const state = this.#states.get(client)
    // On Citus, a connection that was opened before a node was lost may still send statements there.
    const isUsable = state !== undefined && !state.isEnding && state.openedAt >= this.distribution.nodeLostAt
    return isUsable && state.sentAt === null && client.getTransactionStatus() === 'I'
  }

  /** Destroys the connections whose statements have been in flight for longer. Their callers get a lost connection. */
  #closeSilent(maxMs: number): void {
    const now = performance.now()
    for (const [client, { sentAt }] of this.#states) {
      if (sentAt !== null && now - sentAt > maxMs) destroy(client)
    }
  }
}

/** The limit of the server, of the role or of the database. */
const isTooMany = (error: unknown) => error instanceof pg.DatabaseError && error.code === '53300'

/** Without the protocol's message of termination: a server that does not respond would not close the connection either. */
function destroy(client: pg.PoolClient): void {
  const { connection } = client as pg.PoolClient & pg.Client
  connection.stream.destroy()
}
