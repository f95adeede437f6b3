import type { Connection } from '../platform/database/connection.ts'

/*
 * One server at a time archives. It takes the turn for a while, and again before each batch. Should that be over while
 * it is at work, two do the same: each claim leaves once all the same, since its removal is guarded.
 */

const TURN = "interval '2 minutes'"

/** False if another server has the turn. What ends later than any turn was written before the clock was set back. */
export async function takeArchiveTurn(db: Connection, server: string): Promise<boolean> {
  const rows = await db.query({
    name: 'take_archive_turn',
    text: `-- take_archive_turn
      UPDATE archive_turn SET holder = $1, held_until = clock_timestamp() + ${TURN}
      WHERE holder IS NULL OR holder = $1
        OR held_until NOT BETWEEN clock_timestamp() AND clock_timestamp() + ${TURN}
      RETURNING true`,
    values: [server],
  })
  return rows.length > 0
}

/** Others may take it at once. */
export async function releaseArchiveTurn(db: Connection, server: string): Promise<void> {
  await db.query({
    name: 'release_archive_turn',
    text: `-- release_archive_turn
      UPDATE archive_turn SET holder = NULL, held_until = NULL WHERE holder = $1`,
    values: [server],
  })
}
