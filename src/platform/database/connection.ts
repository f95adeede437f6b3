import type { Distribution } from './citus/distribution.ts'

/** A statement; with a name it is prepared once a connection. */
export interface Statement {
  name?: string
  text: string
  values?: readonly unknown[]
  /** It only reads: if the connection breaks, nothing can have changed. */
  readOnly?: true
  /** Outside of a transaction another machine commits it, which may have done so whatever error comes back. */
  commitsElsewhere?: true
}

/** What statements run on: one connection, or whichever is free. */
export interface Connection {
  query<Row>(statement: Statement): Promise<Row[]>
  /** All of the work's statements are committed together, or none; with those around it if a transaction is on. */
  transaction<T>(work: (connection: Connection) => Promise<T>): Promise<T>
  /** Where claims are. */
  readonly distribution: Distribution
}
