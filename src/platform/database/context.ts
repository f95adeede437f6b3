import type { Connection } from './connection.ts'
import type { Database } from './database.ts'

/** What a request of an account works on: its connections, or the one connection of a transaction. */
export interface Context {
  userId: string
  read: Connection
  write: Connection
  /** Whether `read` and `write` are the connection of a transaction. */
  isInTransaction: boolean
}

export const contextOf = (db: Pick<Database, 'reads' | 'writes'>, userId: string): Context => ({
  userId,
  read: db.reads.for(userId),
  write: db.writes.for(userId),
  isInTransaction: false,
})

/**
 * Runs a write and the read for its response in one transaction. If the read fails, nothing is written, and no secret is lost that
 * only the response contains.
 */
export const inTransaction = <T>(context: Context, work: (context: Context) => Promise<T>): Promise<T> =>
  context.write.transaction((connection) =>
    work({ ...context, read: connection, write: connection, isInTransaction: true }),
  )
