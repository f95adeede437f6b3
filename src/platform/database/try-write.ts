import type { PooledConnection } from './pool/pooled-connection.ts'

/**
 * Tests whether the database accepts writes: it writes a page of a new file on the disk of the claims and waits for the WAL, like a
 * submission. Updating a row would not show a full disk, because an update may find room where an insert finds none. The table is
 * dropped at the commit, and no lock of another session can block it.
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
