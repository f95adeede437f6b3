import pg from 'pg'
import { RETRY_LATER, ServiceError } from '../errors.ts'

/** A statement; with a name it is prepared once a connection. */
export interface Statement {
  name?: string
  text: string
  values?: readonly unknown[]
  /** It only reads: where the connection breaks, nothing can have changed. */
  readOnly?: true
}

export interface Connection {
  query<Row>(statement: Statement): Promise<Row[]>
}

/** How long a statement may run, a caller may wait for a connection, and a close for statements, in milliseconds. */
const STATEMENT_TIMEOUT_MS = 30_000
const CONNECT_TIMEOUT_MS = 5_000
const CLOSE_PATIENCE_MS = 1_000
const IDLE_TRANSACTION_MS = 300_000
/** How long after its end an answer is waited for, and how often it is looked whether one is missing. */
const ANSWER_PATIENCE_MS = 5_000
const LOOK_EVERY_MS = 1_000
/** Callers that may wait for a connection; one more is answered 503 at once rather than made to wait. */
const MAX_WAITING = 1_000

/**
 * Settings of every connection. Whatever the service asks is answered by an index, in its order: the planner is not to
 * be led astray by a table that is still small or not analysed, and rows of several ids are locked in the order of the
 * ids; in a bitmap's order, that of the table, two statements could lock each other out. Before PostgreSQL 18, `jit`
 * would come with it.
 *
 * What a statement pushes out of PostgreSQL's memory goes to the disk soon: the kernel would gather a check's pages for
 * half a minute and then write them all, while every commit waits to be synced.
 */
export const CONNECTION_SETTINGS =
  "SET enable_seqscan = off; SET enable_bitmapscan = off; SET jit = off; SET backend_flush_after = '256kB'"
const CONNECTION_SETTINGS_IN_TIME = { text: CONNECTION_SETTINGS, query_timeout: CONNECT_TIMEOUT_MS }

/**
 * The database is away or refuses to work. `outcomeKnown` false: the statement may have been executed all the
 * same, because the connection was lost before its answer came.
 */
export class DatabaseAway extends ServiceError {
  readonly outcomeKnown: boolean

  constructor(message: string, outcomeKnown: boolean, cause?: unknown) {
    super('UNAVAILABLE', message, { headers: RETRY_LATER, cause })
    this.outcomeKnown = outcomeKnown
  }

  /** It was in the way of others at that moment (a deadlock, a lock): tried again at once, it may well succeed. */
  get isPassing(): boolean {
    return this.cause instanceof pg.DatabaseError && /^(40|55P03)/.test(this.cause.code ?? '')
  }
}

/** A pool of connections to PostgreSQL. A broken connection is replaced; a restarted database is found again. */
export class Database implements Connection {
  readonly #connectionString: string
  readonly #pool: pg.Pool
  /** Of every connection, when its statement was sent, by performance.now(); null where none is under way. */
  readonly #askedAt = new Map<pg.PoolClient, number | null>()
  readonly #watch: NodeJS.Timeout

  /** @param options.statementTimeoutMs 0 for none */
  constructor(options: { connectionString: string; poolSize: number; statementTimeoutMs?: number }) {
    const { connectionString, poolSize, statementTimeoutMs = STATEMENT_TIMEOUT_MS } = options
    this.#connectionString = connectionString
    this.#pool = new pg.Pool({
      connectionString,
      max: poolSize,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      statement_timeout: statementTimeoutMs,
      // Of a client that is gone without a word: its locks must not stay. The check's turn waits longest.
      idle_in_transaction_session_timeout: IDLE_TRANSACTION_MS,
      keepAlive: true,
      application_name: 'claimkeeper',
      onConnect: (client) => client.query(CONNECTION_SETTINGS_IN_TIME),
    })
    // The server ends a statement first; this is for a server that answers no more.
    const longestMs = statementTimeoutMs === 0 ? Infinity : statementTimeoutMs + ANSWER_PATIENCE_MS
    this.#watch = setInterval(() => this.#breakSilent(longestMs), LOOK_EVERY_MS).unref()
    // An idle connection that breaks is reported here, and a busy one by its statement as well: neither may
    // end the process.
    this.#pool.on('error', () => {})
    this.#pool.on('connect', (client) => {
      client.on('error', () => {})
      this.#askedAt.set(client, null)
    })
    this.#pool.on('remove', (client) => this.#askedAt.delete(client))
  }

  query<Row>(statement: Statement): Promise<Row[]> {
    return this.withConnection((connection) => connection.query<Row>(statement))
  }

  /**
   * In the shape of pg's pool, for a library that brings statements of its own; what fails is DatabaseAway as
   * everywhere.
   */
  readonly pool = {
    connect: async () => {
      const client = await this.#connect()
      let broken = false
      const query = async (text: string, values: unknown[]) => {
        try {
          return await this.#ask(client, { text, values })
        } catch (error) {
          const away = asDatabaseAway(error, false)
          broken ||= away !== null
          throw away ?? error
        }
      }
      return { query, release: () => client.release(broken) }
    },
    end: async () => {},
  }

  /** Runs several statements on one connection, without a transaction. */
  async withConnection<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
    const client = await this.#connect()
    let broken = false
    try {
      return await work({
        query: async <Row>(statement: Statement) => {
          try {
            return await this.#run<Row>(client, statement)
          } catch (error) {
            broken ||= error instanceof DatabaseAway
            throw error
          }
        },
      })
    } finally {
      client.release(broken)
    }
  }

  /** All of the work's statements are committed together, or none. READ COMMITTED. */
  transaction<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
    return this.withConnection(async (connection) => {
      await connection.query({ text: 'BEGIN' })
      try {
        const result = await work(connection)
        await connection.query({ text: 'COMMIT' })
        return result
      } catch (error) {
        if (!(error instanceof DatabaseAway)) await connection.query({ text: 'ROLLBACK' })
        throw error
      }
    })
  }

  /** A connection outside the pool, for what belongs to a session. Its owner ends it. */
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

  /** Waits a moment for statements under way, then cuts them off. */
  async close(): Promise<void> {
    const cutOff = setTimeout(() => {
      for (const client of this.#askedAt.keys()) void client.end()
    }, CLOSE_PATIENCE_MS)
    await this.#pool.end()
    clearTimeout(cutOff)
    clearInterval(this.#watch)
  }

  async #connect(): Promise<pg.PoolClient> {
    if (this.#pool.waitingCount >= MAX_WAITING) {
      throw new DatabaseAway('Too many requests are waiting for the database.', true)
    }
    try {
      return await this.#pool.connect()
    } catch (error) {
      throw new DatabaseAway('The database cannot be reached.', true, error)
    }
  }

  async #run<Row>(client: pg.PoolClient, { name, text, values, readOnly }: Statement): Promise<Row[]> {
    try {
      const config = { text, values: values as unknown[] }
      const result = await this.#ask(client, name ? { ...config, name } : config)
      return result.rows as Row[]
    } catch (error) {
      throw asDatabaseAway(error, readOnly === true) ?? error
    }
  }

  /**
   * The driver's own time limit and its own promise each leave every statement linked to the one before, so that what
   * belongs to statements lives until V8 collects its old generation. Hence a callback, and one watch over all.
   */
  #ask(client: pg.PoolClient, config: pg.QueryConfig): Promise<pg.QueryResult> {
    this.#askedAt.set(client, performance.now())
    return new Promise((resolve, reject) => {
      client.query(config, (error: Error | null, result) => {
        this.#askedAt.set(client, null)
        if (error) reject(error)
        else resolve(result)
      })
    })
  }

  /** Ends the connections whose statements have been under way for longer; to their callers they are lost. */
  #breakSilent(longestMs: number): void {
    const now = performance.now()
    for (const [client, askedAt] of this.#askedAt) {
      if (askedAt !== null && now - askedAt > longestMs) void client.end()
    }
  }
}

/** SQLSTATEs (or their classes) after which the statement is known to have changed nothing. */
const REFUSED = /^(53|57014|40001|40P01|55P03|25006)/
/** SQLSTATEs of a connection that is gone, or going, possibly after the statement took effect. */
const CUT_OFF = /^(08|57P0)/

function asDatabaseAway(error: unknown, readOnly: boolean): DatabaseAway | null {
  const lost = () =>
    new DatabaseAway(
      readOnly
        ? 'The connection to the database was lost.'
        : 'The connection to the database was lost; whether the request took effect is not known.',
      readOnly,
      error,
    )
  if (!(error instanceof pg.DatabaseError)) {
    // Not the server's word but the driver's: the socket broke, or no answer came in time.
    return lost()
  }
  const state = error.code ?? ''
  if (CUT_OFF.test(state)) return lost()
  if (REFUSED.test(state)) return new DatabaseAway('The database could not do this now.', true, error)
  return null
}
