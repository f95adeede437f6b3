/** A statement; with a name it is prepared once a connection. */
export interface Statement {
  name?: string
  text: string
  values?: readonly unknown[]
  /** It only reads: if the connection breaks, nothing can have changed. */
  readOnly?: true
}

/** What statements run on: one connection, or whichever is free. */
export interface Connection {
  query<Row>(statement: Statement): Promise<Row[]>
}
