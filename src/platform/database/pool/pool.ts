import pg from 'pg'
import { endsWithin } from '../../../kernel/owned-promise.ts'
import type { Metrics } from '../../observability/metrics.ts'
import { Distribution } from '../citus/distribution.ts'
import { CONNECT_TIMEOUT_MS, POOL_SETTINGS, setUpSession } from '../connection-settings.ts'
import { DatabaseUnavailable, isLastWord } from '../database-unavailable.ts'
import { TYPES } from '../parse-time.ts'
import { Borrower, type Lender } from './borrower.ts'
import { type AccountBounds, Places } from './places.ts'
import { addressOf, isRefusedEncryption, type ServerAddress } from './server-address.ts'

/** How long a statement may run, and a close waits for statements. */
const STATEMENT_TIMEOUT_MS = 30_000
const CLOSE_PATIENCE_MS = 1_000
/** What is still being connected then is left to itself: it may take as long as a connection may. */
const LONGEST_CLOSE_MS = 1_500
const IDLE_TRANSACTION_MS = 300_000
/** How long after its end an answer is waited for, and how often it is looked whether one is missing. */
const ANSWER_PATIENCE_MS = 5_000
const LOOK_EVERY_MS = 1_000

const NOT_REACHED = 'The database cannot be reached.'
const NO_MORE_CONNECTIONS =
  'The database gives this server no more connections: it allows fewer than DATABASE_POOL_SIZE, or others have them.'

export interface PoolOptions {
  connectionString: string
  /** Connections at most. */
  size: number
  /** 0 for none. */
  statementTimeoutMs?: number | undefined
  ofAccount?: AccountBounds | undefined
  /** For how long a transaction may wait for its next statement: it holds what it has locked. */
  idleTransactionMs?: number | undefined
  /** Where claims are; by default all in one place. */
  distribution?: Distribution
  /** What it is called there; by default nothing is measured. */
  measured?: { by: Metrics; as: string }
}

/** What is known of a connection beside what the protocol says. */
interface Use {
  /** When its statement was sent, by performance.now(); null if none is under way. */
  askedAt: number | null
  /** The server has said that it ends it. */
  isEnding: boolean
  /** When it was made, by performance.now(). */
  madeAt: number
}

/**
 * Connections to PostgreSQL. A broken one is replaced; a restarted database is found again.
 *
 * A connection is lent idle or not at all: it is looked at when it comes back and when it goes out, and one that has a
 * statement or a transaction open is destroyed, whoever forgot it.
 */
export class Pool implements Lender {
  readonly #pool: pg.Pool
  /** The encryption of a second attempt to connect. */
  #fallback: ServerAddress['fallback']
  readonly #places: Places
  readonly #uses = new Map<pg.PoolClient, Use>()
  readonly #watch: NodeJS.Timeout
  #waited: ((seconds: number) => void) | null = null
  #lacksConnections = false
  readonly distribution: Distribution

  constructor(options: PoolOptions) {
    const { connectionString, size, statementTimeoutMs = STATEMENT_TIMEOUT_MS, ofAccount } = options
    if (options.measured) this.#waited = this.#measure(options.measured)
    this.distribution = options.distribution ?? new Distribution()
    this.#places = new Places(size, ofAccount)
    const { config, fallback } = addressOf(connectionString)
    this.#fallback = fallback
    const timeouts = {
      statementMs: statementTimeoutMs,
      // Of a client that is gone without a word: its locks must not stay. The check's turn waits longest.
      idleTransactionMs: options.idleTransactionMs ?? IDLE_TRANSACTION_MS,
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
    // The server ends a statement first; this is for a server that answers no more.
    const longestMs = statementTimeoutMs === 0 ? Infinity : statementTimeoutMs + ANSWER_PATIENCE_MS
    this.#watch = setInterval(() => {
      this.#breakSilent(longestMs)
      this.#places.refuseAfter(CONNECT_TIMEOUT_MS)
    }, LOOK_EVERY_MS).unref()
    // An idle connection that breaks is reported here, and a busy one by its statement as well: neither may
    // end the process.
    this.#pool.on('error', () => {})
    this.#pool.on('connect', (client) => {
      client.on('error', () => {})
      this.#uses.set(client, { askedAt: null, isEnding: false, madeAt: performance.now() })
    })
    this.#pool.on('remove', (client) => this.#uses.delete(client))
  }

  /** Statements in the name of an account, which never has all of the connections for itself. */
  for(account: string): Borrower {
    return new Borrower(this, account)
  }

  /** PostgreSQL has refused a connection because there are too many, and has accepted none since. */
  get lacksConnections(): boolean {
    return this.#lacksConnections
  }

  async lend(account: string): Promise<pg.PoolClient> {
    const since = performance.now()
    await this.#places.take(account)
    try {
      const client = await this.#connect()
      this.#lacksConnections = false
      this.#waited?.((performance.now() - since) / 1_000)
      return client
    } catch (error) {
      this.#places.giveBack(account)
      this.#lacksConnections = isTooMany(error)
      throw new DatabaseUnavailable(isTooMany(error) ? NO_MORE_CONNECTIONS : NOT_REACHED, true, error)
    }
  }

  takeBack(account: string, client: pg.PoolClient): void {
    client.release(!this.#isIdle(client))
    this.#places.giveBack(account)
  }

  /**
   * The driver's own time limit and its own promise each leave every statement linked to the one before, so that what
   * belongs to statements lives until V8 collects its old generation. Hence a callback, and one watch over all.
   */
  ask(client: pg.PoolClient, config: pg.QueryConfig): Promise<pg.QueryResult> {
    const use = this.#uses.get(client) as Use
    use.askedAt = performance.now()
    return new Promise((resolve, reject) => {
      // biome-ignore lint/nursery/noFloatingPromises: with a callback it returns none
      client.query(config, (error: Error | null, result) => {
        use.askedAt = null
        if (!error) return resolve(result)
        use.isEnding ||= isLastWord(error)
        reject(error)
      })
    })
  }

  /** Waits a moment for statements under way, then cuts them off. */
  async close(): Promise<void> {
    this.#places.refuseAfter(0)
    // Again and again: some may be connected only now.
    const cutOff = setInterval(() => {
      for (const client of this.#uses.keys()) breakOff(client)
    }, CLOSE_PATIENCE_MS)
    await endsWithin(LONGEST_CLOSE_MS, this.#pool.end())
    clearInterval(cutOff)
    clearInterval(this.#watch)
  }

  /** Returns who hears how long somebody waited for a connection. */
  #measure({ by, as: pool }: { by: Metrics; as: string }): (seconds: number) => void {
    const { poolConnections, poolSize, poolWaiting, poolWaitSeconds } = by.instruments
    by.onRead(() => {
      const idle = this.#pool.idleCount
      poolConnections.set({ pool, state: 'idle' }, idle)
      poolConnections.set({ pool, state: 'used' }, this.#pool.totalCount - idle)
      poolSize.set({ pool }, this.#places.size)
      poolWaiting.set({ pool }, this.#places.waiting)
    })
    const waits = poolWaitSeconds.labels({ pool })
    return (seconds) => waits.observe(seconds)
  }

  /** An idle one; one that should not be there is destroyed. */
  async #connect(): Promise<pg.PoolClient> {
    for (let tries = 0; tries <= this.#places.size; tries++) {
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
      if (this.#fallback === null || !isRefusedEncryption(error)) throw error
      // A concurrent call may have exchanged them.
      if (options.ssl === tried) [options.ssl, this.#fallback] = [this.#fallback, tried ?? false]
      return this.#pool.connect()
    }
  }

  #isIdle(client: pg.PoolClient): boolean {
    const use = this.#uses.get(client)
    const mayLead = use !== undefined && !use.isEnding && use.madeAt >= this.distribution.lostAt
    return mayLead && use.askedAt === null && client.getTransactionStatus() === 'I'
  }

  /** Ends the connections whose statements have been under way for longer; to their callers they are lost. */
  #breakSilent(longestMs: number): void {
    const now = performance.now()
    for (const [client, { askedAt }] of this.#uses) {
      if (askedAt !== null && now - askedAt > longestMs) breakOff(client)
    }
  }
}

/** The limit of the server, of the role or of the database. */
const isTooMany = (error: unknown) => error instanceof pg.DatabaseError && error.code === '53300'

/** Without a goodbye: a server that answers no more would never answer that either, and be waited for. */
function breakOff(client: pg.PoolClient): void {
  const { connection } = client as pg.PoolClient & pg.Client
  connection.stream.destroy()
}
