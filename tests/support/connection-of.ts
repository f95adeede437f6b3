import type { Connection } from '../../src/storage/database/connection.ts'
import { Distribution } from '../../src/storage/distribution/distribution.ts'

/** A connection of what runs a statement; transactions are the caller's affair. */
export function connectionOf(query: Connection['query']): Connection {
  const connection: Connection = {
    query,
    transaction: (work) => work(connection),
    distribution: new Distribution(),
  }
  return connection
}
