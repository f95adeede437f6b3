import type pg from 'pg'
import type { Distribution } from '../citus/distribution.ts'
import type { Connection, Statement } from '../connection.ts'
import {
  asDatabaseUnavailable,
  commitFailed,
  type DatabaseUnavailable,
  isNodeLoss,
  isOverdue,
} from '../database-unavailable.ts'

/** The key of the service's own work, which no limit of an account applies to. */
export const SERVICE_ACCOUNT = Symbol('service')
/** On whose behalf statements run: the id of an account, another name that shares its limits, or the service. */
export type Account = string | typeof SERVICE_ACCOUNT

const RELEASED = 'a statement was sent after its connection was released'

export interface ConnectionPool {
  readonly distribution: Distribution
  /** Leases an idle connection. @throws DatabaseUnavailable if there is none, or too many callers are queued */
  acquire: (account: Account) => Promise<pg.PoolClient>
  release: (client: pg.PoolClient) => void
  send: (client: pg.PoolClient, config: pg.QueryConfig) => Promise<pg.QueryResult>
}

/** Runs statements on behalf of an account, on a connection that is leased for each call. */
export class PooledConnection implements Connection {
  readonly #pool: ConnectionPool
  readonly #account: Account

  constructor(pool: ConnectionPool, account: Account) {
    this.#pool = pool
    this.#account = account
  }

  get distribution(): Distribution {
    return this.#pool.distribution
  }

  query<Row>(statement: Statement): Promise<Row[]> {
    return this.withConnection((connection) => connection.query<Row>(statement))
  }

  /** Runs several statements on one connection, without a transaction. */
  withConnection<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
    return this.#lease(work)
  }

  /** All statements are committed together, or none. The isolation is READ COMMITTED. */
  transaction<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
    return this.#lease((connection) => connection.transaction(work))
  }

  /** The interface of pg's pool, for a library with its own statements. Its errors are DatabaseUnavailable too. */
  readonly pool = {
    connect: async () => {
      const client = await this.#pool.acquire(this.#account)
      const query = async (text: string, values: unknown[]) => {
        try {
          return await this.#pool.send(client, { text, values })
        } catch (error) {
          throw asDatabaseUnavailable(error, false) ?? error
        }
      }
      return { query, release: () => this.#pool.release(client) }
    },
    end: async () => {},
  }

  async #lease<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
    const client = await this.#pool.acquire(this.#account)
    const lease = new Lease(this.#pool, client)
    try {
      return await work(lease)
    } finally {
      lease.isReleased = true
      this.#pool.release(client)
    }
  }
}

class Lease implements Connection {
  readonly #pool: ConnectionPool
  readonly #client: pg.PoolClient
  #isInTransaction = false
  /** A statement of the transaction was cancelled by the statement timeout. */
  #isOverdue = false
  isReleased = false

  constructor(pool: ConnectionPool, client: pg.PoolClient) {
    this.#pool = pool
    this.#client = client
  }

  get distribution(): Distribution {
    return this.#pool.distribution
  }

  async query<Row>({ name, text, values, readOnly, commitsElsewhere }: Statement): Promise<Row[]> {
    if (this.isReleased) throw new Error(RELEASED)
    try {
      const config = { text, values: values as unknown[] }
      const result = await this.#pool.send(this.#client, name ? { ...config, name } : config)
      return result.rows as Row[]
    } catch (error) {
      const unavailable = asDatabaseUnavailable(error, readOnly === true)
      const isCommit = commitsElsewhere && !this.#isInTransaction
      throw this.#failure(error, unavailable && isCommit ? commitFailed(error) : unavailable)
    }
  }

  async transaction<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
    if (this.#isInTransaction) return work(this)
    await this.query({ text: 'BEGIN' })
    this.#isInTransaction = true
    this.#isOverdue = false
    let result: T
    try {
      result = await work(this)
    } catch (error) {
      // If ROLLBACK fails too, the connection is not idle at its release, and is destroyed. After a statement timeout, Citus may
      // wait without limit for a node.
      if (!(this.distribution.isOn && this.#isOverdue)) await this.query({ text: 'ROLLBACK' }).catch(() => {})
      throw error
    } finally {
      this.#isInTransaction = false
    }
    await this.#commit()
    return result
  }

  /** Returns the error to throw. Notes the loss of a Citus node. */
  #failure(error: unknown, unavailable: DatabaseUnavailable | null): unknown {
    if (this.distribution.isOn && isNodeLoss(error)) this.distribution.recordNodeLoss()
    this.#isOverdue ||= isOverdue(error)
    return unavailable ?? error
  }

  /**
   * If a statement of the transaction failed, PostgreSQL answers COMMIT with the tag ROLLBACK and no error. If Citus cannot reach
   * a node, COMMIT succeeds with a warning: the node applies it later, and until then its rows are not visible.
   */
  async #commit(): Promise<void> {
    const { isOn } = this.distribution
    let result: pg.QueryResult
    let warning: { severity: string | undefined } | undefined
    const onNotice = (notice: { severity: string | undefined }) => {
      if (notice.severity === 'WARNING') warning ??= notice
    }
    if (isOn) this.#client.on('notice', onNotice)
    try {
      result = await this.#pool.send(this.#client, { text: 'COMMIT' })
    } catch (error) {
      throw this.#failure(error, isOn ? commitFailed(error) : asDatabaseUnavailable(error, false))
    } finally {
      this.#client.off('notice', onNotice)
    }
    if (warning) {
      // A warning has no error code by which the loss could be noted.
      this.distribution.recordNodeLoss()
      throw commitFailed(warning)
    }
    if (result.command !== 'COMMIT') throw new Error('a statement failed, and nothing was committed')
  }
}
