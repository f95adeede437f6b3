import type { Distribution } from './citus/distribution.ts'

/** A statement. With a name, each connection prepares it once. */
export interface Statement {
  name?: string
  text: string
  values?: readonly unknown[]
  /** The statement writes nothing: if the connection breaks, nothing has changed. */
  readOnly?: true
  /** Outside a transaction another node of Citus commits the statement. It may have committed even if an error is returned. */
  commitsElsewhere?: true
}

/** Runs statements, on one connection or on any free connection of a pool. */
export interface Connection {
  query<Row>(statement: Statement): Promise<Row[]>
  /** Commits all statements of the work together. Within a transaction, the work is a part of it. */
  transaction<T>(work: (connection: Connection) => Promise<T>): Promise<T>
  readonly distribution: Distribution
}
