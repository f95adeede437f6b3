import type { Connection } from '../connection.ts'
import { DELETED_CURSOR_TTL_SECONDS } from '../limits.ts'

/*
 * A cursor names a record; the next page begins at the record's position. Positions of records that were deleted with a test
 * clock are kept for some days, so that a reader can go on with a cursor that names a deleted record.
 */

/** A record may be deleted twice: a candidate is created again if its alias is used again. */
const KEEP_LAST =
  'ON CONFLICT (user_id, list, id) DO UPDATE SET position = EXCLUDED.position, deleted_at = EXCLUDED.deleted_at'

/** Call it before the clock, its claims and its candidates are deleted, in the same transaction. */
export async function keepPositions(db: Connection, clock: { userId: string; id: string }): Promise<void> {
  await db.query({
    text: `-- keep_positions_of_claims
      INSERT INTO deleted_positions (user_id, list, id, position)
      SELECT user_id, CASE WHEN candidate_alias IS NULL THEN 'claim' ELSE 'candidate' END, id, position
      FROM claims WHERE test_clock_id = $1
      ${KEEP_LAST}`,
    values: [clock.id],
  })
  await db.query({
    text: `-- keep_position_of_test_clock
      INSERT INTO deleted_positions (user_id, list, id, position)
      SELECT user_id, 'test_clock', id, position FROM test_clocks WHERE user_id = $1 AND id = $2
      ${KEEP_LAST}`,
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

/** Removes positions older than the retention, the oldest first. Returns how many. */
export async function removeOldPositions(db: Connection, count: number): Promise<number> {
  const rows = await db.query({
    text: `-- remove_old_positions
      DELETE FROM deleted_positions WHERE (user_id, list, id) IN (
        SELECT user_id, list, id FROM deleted_positions WHERE deleted_at <= now() - interval '${DELETED_CURSOR_TTL_SECONDS} seconds'
        ORDER BY deleted_at LIMIT $1 FOR UPDATE SKIP LOCKED
      ) RETURNING 1`,
    values: [count],
  })
  return rows.length
}
