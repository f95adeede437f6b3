import { type Connection, Distribution } from './source/database.ts'

/**
 * A connection that runs statements with the given function. The caller handles transactions, except on distributed
 * tables, where some writes are transactions.
 */
export function connectionOf(query: Connection['query'], distribution = new Distribution()): Connection {
  let isInTransaction = false
  const connection: Connection = {
    query: (statement) => {
      if (statement.text === 'BEGIN') isInTransaction = true
      if (/^(COMMIT|ROLLBACK)$/.test(statement.text)) isInTransaction = false
      return query(statement)
    },
    transaction: async (work) => {
      if (isInTransaction || !distribution.isOn) return work(connection)
      await connection.query({ text: 'BEGIN' })
      try {
        const result = await work(connection)
        await connection.query({ text: 'COMMIT' })
        return result
      } catch (error) {
        await connection.query({ text: 'ROLLBACK' })
        throw error
      }
    },
    distribution,
  }
  return connection
}
