import type pg from 'pg'
import type { Distribution } from '../citus/distribution.ts'
import type { Connection, Statement } from '../connection.ts'
import {
  asDatabaseUnavailable,
  commitFailed,
  type DatabaseUnavailable,
  isLossOfMachine,
  isOverdue,
} from '../database-unavailable.ts'

const GIVEN_BACK = 'a statement came after its connection was given back'

/** Who lends connections. */
export interface Lender {
  readonly distribution: Distribution
  /** An idle one. @throws DatabaseUnavailable if none can be had, or too many wait already */
  lend: (account: string) => Promise<pg.PoolClient>
  takeBack: (account: string, client: pg.PoolClient) => void
  ask: (client: pg.PoolClient, config: pg.QueryConfig) => Promise<pg.QueryResult>
}

/** Runs statements on connections that are lent in the name of an account, or of the service itself. */
export class Borrower implements Connection {
  readonly #lender: Lender
  readonly #account: string

  constructor(lender: Lender, account: string) {
    this.#lender = lender
    this.#account = account
  }

  get distribution(): Distribution {
    return this.#lender.distribution
  }

  query<Row>(statement: Statement): Promise<Row[]> {
    return this.withConnection((connection) => connection.query<Row>(statement))
  }

  /** Runs several statements on one connection, without a transaction. */
  withConnection<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
    return this.#borrow(work)
  }

  /** All of the work's statements are committed together, or none. READ COMMITTED. */
  transaction<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
    return this.#borrow((connection) => connection.transaction(work))
  }

  /** In the shape of pg's pool, for a library that brings statements of its own; what fails is DatabaseUnavailable too. */
  readonly pool = {
    connect: async () => {
      const client = await this.#lender.lend(this.#account)
      const query = async (text: string, values: unknown[]) => {
        try {
          return await this.#lender.ask(client, { text, values })
        } catch (error) {
          throw asDatabaseUnavailable(error, false) ?? error
        }
      }
      return { query, release: () => this.#lender.takeBack(this.#account, client) }
    },
    end: async () => {},
  }

  async #borrow<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
    const client = await this.#lender.lend(this.#account)
    const lent = new LentConnection(this.#lender, client)
    try {
      return await work(lent)
    } finally {
      lent.isLent = false
      this.#lender.takeBack(this.#account, client)
    }
  }
}

class LentConnection implements Connection {
  readonly #lender: Lender
  readonly #client: pg.PoolClient
  #isInTransaction = false
  /** A statement of its transaction has been ended because it took too long. */
  #isOverdue = false
  isLent = true

  constructor(lender: Lender, client: pg.PoolClient) {
    this.#lender = lender
    this.#client = client
  }

  get distribution(): Distribution {
    return this.#lender.distribution
  }

  async query<Row>({ name, text, values, readOnly, commitsElsewhere }: Statement): Promise<Row[]> {
    if (!this.isLent) throw new Error(GIVEN_BACK)
    try {
      const config = { text, values: values as unknown[] }
      const result = await this.#lender.ask(this.#client, name ? { ...config, name } : config)
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
      // If this fails too, the connection does not come back idle, and is destroyed. Citus may wait without end for a machine
      // to hear that a statement has taken too long.
      if (!(this.distribution.isOn && this.#isOverdue)) await this.query({ text: 'ROLLBACK' }).catch(() => {})
      throw error
    } finally {
      this.#isInTransaction = false
    }
    await this.#commit()
    return result
  }

  /** What is thrown in place of the error. If that tells of a lost machine, the loss is noted. */
  #failure(error: unknown, unavailable: DatabaseUnavailable | null): unknown {
    if (this.distribution.isOn && isLossOfMachine(error)) this.distribution.noteLoss()
    this.#isOverdue ||= isOverdue(error)
    return unavailable ?? error
  }

  /**
   * Of a transaction in which a statement failed, PostgreSQL answers COMMIT with "ROLLBACK", and not with an error. If Citus
   * could not reach a machine any more, it answers with a warning: the transaction is committed, but there only a while
   * later, until when nobody sees what it did there.
   */
  async #commit(): Promise<void> {
    const { isOn } = this.distribution
    let answer: pg.QueryResult
    let warning: { severity: string | undefined } | undefined
    const hear = (notice: { severity: string | undefined }) => {
      if (notice.severity === 'WARNING') warning ??= notice
    }
    if (isOn) this.#client.on('notice', hear)
    try {
      answer = await this.#lender.ask(this.#client, { text: 'COMMIT' })
    } catch (error) {
      throw this.#failure(error, isOn ? commitFailed(error) : asDatabaseUnavailable(error, false))
    } finally {
      this.#client.off('notice', hear)
    }
    if (warning) {
      // It is no error, so it has no code that tells of the loss.
      this.distribution.noteLoss()
      throw commitFailed(warning)
    }
    if (answer.command !== 'COMMIT') throw new Error('a statement failed unheard, and nothing was committed')
  }
}
