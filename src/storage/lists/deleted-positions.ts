import type { Connection } from '../database/connection.ts'

/*
 * A cursor names a record, and its place in the list is the record's position. Of records that are deleted with a test clock
 * the positions are kept for some days, so that a list that is being read, or emptied page by page, goes on.
 */

/** For how long a deleted record is good as a cursor (§4). */
const KEPT = "interval '7 days'"

/** A record that was deleted twice, such as a candidate whose alias was used again, is remembered by the last time. */
const LAST_COUNTS =
  'ON CONFLICT (user_id, list, id) DO UPDATE SET position = EXCLUDED.position, deleted_at = EXCLUDED.deleted_at'

/** Call it before the clock, its claims and its candidates are deleted, in the same transaction. */
export async function keepPositions(db: Connection, clock: { userId: string; id: string }): Promise<void> {
  await db.query({
    text: `-- keep_positions_of_claims
      INSERT INTO deleted_positions (user_id, list, id, position)
      SELECT user_id, CASE WHEN candidate_alias IS NULL THEN 'claim' ELSE 'candidate' END, id, position
      FROM claims WHERE test_clock_id = $1
      ${LAST_COUNTS}`,
    values: [clock.id],
  })
  await db.query({
    text: `-- keep_position_of_test_clock
      INSERT INTO deleted_positions (user_id, list, id, position)
      SELECT user_id, 'test_clock', id, position FROM test_clocks WHERE user_id = $1 AND id = $2
      ${LAST_COUNTS}`,
    values: [clock.userId, clock.id],
  })
}

/** The position that a deleted record had in its account's list; null if it is not known. */
export async function findDeletedPosition(
  db: Connection,
  userId: string,
  list: 'claim' | 'candidate' | 'test_clock',
  id: string,
): Promise<string | null> {
  const [row] = await db.query<{ position: string }>({
    name: 'find_deleted_position',
    text: `-- find_deleted_position
      SELECT position FROM deleted_positions WHERE user_id = $1 AND list = $2 AND id = $3`,
    values: [userId, list, id],
    readOnly: true,
  })
  return row?.position ?? null
}

/** Those that have been kept for long enough, the oldest first. Returns how many were removed. */
export async function removeOldPositions(db: Connection, count: number): Promise<number> {
  const rows = await db.query({
    text: `-- remove_old_positions
      DELETE FROM deleted_positions WHERE (user_id, list, id) IN (
        SELECT user_id, list, id FROM deleted_positions WHERE deleted_at <= now() - ${KEPT}
        ORDER BY deleted_at LIMIT $1 FOR UPDATE SKIP LOCKED
      ) RETURNING 1`,
    values: [count],
  })
  return rows.length
}
