import type { PooledConnection } from './pool/pooled-connection.ts'

/**
 * Writes as a submission does: a new page of a new file on the disk of the claims, and a commit that waits for the log.
 * A row that is changed in place would not do: on a full disk it still finds room when an insert finds none. Nothing is
 * left of it, and nobody else's lock is in its way.
 */
export async function tryWrite(db: PooledConnection): Promise<void> {
  await db.transaction(async (connection) => {
    await connection.query({ text: "SET LOCAL temp_tablespaces = ''" })
    await connection.query({
      text: `-- try_write
        CREATE TEMPORARY TABLE write_check ON COMMIT DROP AS SELECT clock_timestamp() AS written_at`,
    })
  })
}
