import type pg from 'pg'
import type { Connection, Statement } from '../connection.ts'
import { asDatabaseUnavailable } from '../database-unavailable.ts'

const GIVEN_BACK = 'a statement came after its connection was given back'

/** Who lends connections. */
export interface Lender {
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

  query<Row>(statement: Statement): Promise<Row[]> {
    return this.withConnection((connection) => connection.query<Row>(statement))
  }

  /** Runs several statements on one connection, without a transaction. */
  withConnection<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
    return this.#borrow(work)
  }

  /** All of the work's statements are committed together, or none. READ COMMITTED. */
  transaction<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
    return this.#borrow(async (connection, client) => {
      await connection.query({ text: 'BEGIN' })
      let result: T
      try {
        result = await work(connection)
      } catch (error) {
        // If this fails too, the connection does not come back idle, and is destroyed.
        await connection.query({ text: 'ROLLBACK' }).catch(() => {})
        throw error
      }
      await this.#commit(client)
      return result
    })
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

  async #borrow<T>(work: (connection: Connection, client: pg.PoolClient) => Promise<T>): Promise<T> {
    const client = await this.#lender.lend(this.#account)
    let isLent = true
    const query = <Row>(statement: Statement) =>
      isLent ? this.#run<Row>(client, statement) : Promise.reject<Row[]>(new Error(GIVEN_BACK))
    try {
      return await work({ query }, client)
    } finally {
      isLent = false
      this.#lender.takeBack(this.#account, client)
    }
  }

  async #run<Row>(client: pg.PoolClient, { name, text, values, readOnly }: Statement): Promise<Row[]> {
    try {
      const config = { text, values: values as unknown[] }
      const result = await this.#lender.ask(client, name ? { ...config, name } : config)
      return result.rows as Row[]
    } catch (error) {
      throw asDatabaseUnavailable(error, readOnly === true) ?? error
    }
  }

  /** Of a transaction in which a statement failed, PostgreSQL answers COMMIT with "ROLLBACK", and not with an error. */
  async #commit(client: pg.PoolClient): Promise<void> {
    let answer: pg.QueryResult
    try {
      answer = await this.#lender.ask(client, { text: 'COMMIT' })
    } catch (error) {
      throw asDatabaseUnavailable(error, false) ?? error
    }
    if (answer.command !== 'COMMIT') throw new Error('a statement failed unheard, and nothing was committed')
  }
}
