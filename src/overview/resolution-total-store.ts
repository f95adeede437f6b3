import { NOW } from '../platform/database/clock.ts'
import type { Connection } from '../platform/database/connection.ts'
import { TOTALS_DELAY } from './limits.ts'

/*
 * Totals of the claims and candidates without a test clock that were resolved until a moment, the mark. Later resolutions are counted
 * row by row. The totals stay correct, because CONFIRMED and FAILED are final, and because a check that resolves claims at an earlier
 * moment first removes the totals of that time and blocks new ones. Call these functions while no other server moves due claims.
 */

/** The mark: resolutions until this time are in the totals. */
export async function readSummedUpTo(db: Connection): Promise<Date> {
  const [row] = await db.query<{ up_to: Date }>({
    name: 'read_resolution_mark',
    text: `-- read_resolution_mark
      SELECT up_to FROM resolution_mark`,
    readOnly: true,
  })
  return row?.up_to ?? new Date(0)
}

/** Adds the resolutions since the mark, except those within TOTALS_DELAY, to the totals and moves the mark. */
export async function addResolutionsToTotals(db: Connection): Promise<void> {
  const [span] = await db.query<{ after: Date; up_to: Date }>({
    text: `-- read_resolution_span
      SELECT up_to AS after, ${NOW} - interval '${TOTALS_DELAY}' AS up_to
      FROM resolution_mark FOR UPDATE`,
  })
  if (!span || span.up_to <= span.after) return
  const values = [span.after, span.up_to]
  await db.query({ text: ADD_TO_TOTALS, values })
  await db.query({ text: ADD_TO_DURATIONS, values })
  await db.query({
    text: `-- move_resolution_mark
      UPDATE resolution_mark SET up_to = $1`,
    values: [span.up_to],
  })
}

/** The condition on user_id makes the planner read each account by the index. */
const RESOLVED = `FROM claims
    WHERE user_id = ANY (ARRAY(SELECT id FROM users)) AND test_clock_id IS NULL AND status IN ('CONFIRMED', 'FAILED')
      AND status_since > $1 AND status_since <= $2
    GROUP BY 1, 2, 3`

const ADD_TO_TOTALS = `-- add_to_resolution_totals
  INSERT INTO resolution_totals AS kept (user_id, quarter, status, count, amount)
  SELECT * FROM (
    SELECT user_id, date_bin('15 minutes', status_since, '2000-01-01Z'), status, count(*), coalesce(sum(price), 0)
    ${RESOLVED}
  ) AS added
  ON CONFLICT (user_id, quarter, status)
  DO UPDATE SET count = kept.count + excluded.count, amount = kept.amount + excluded.amount`

const ADD_TO_DURATIONS = `-- add_to_resolution_durations
  INSERT INTO resolution_durations AS kept (user_id, hour, class, count)
  SELECT * FROM (
    SELECT user_id, date_bin('1 hour', status_since, '2000-01-01Z'), duration_class(status_since - created_at), count(*)
    ${RESOLVED}
  ) AS added
  ON CONFLICT (user_id, hour, class) DO UPDATE SET count = kept.count + excluded.count`

/**
 * Blocks additions to the totals until the transaction ends. Returns false if the totals include this time: then claims must not be
 * resolved at this time.
 */
export async function holdTotalsBefore(db: Connection, time: Date): Promise<boolean> {
  const rows = await db.query({
    name: 'hold_totals_before',
    text: `-- hold_totals_before
      SELECT FROM resolution_mark WHERE up_to < $1 FOR SHARE`,
    values: [time],
  })
  return rows.length > 0
}

/**
 * Removes the totals of this time, back to a full hour, if they include it, for example after a delayed check or after the database's
 * clock was set back. Call it before claims are resolved at this time.
 */
export async function takeBackTotals(db: Connection, time: Date): Promise<void> {
  await db.query({
    name: 'take_back_totals',
    text: `-- take_back_totals
      WITH mark AS (
        UPDATE resolution_mark SET up_to = date_bin('1 hour', $1, '2000-01-01Z') - interval '1 millisecond'
        WHERE up_to >= $1 RETURNING up_to
      ), totals AS (
        DELETE FROM resolution_totals WHERE EXISTS (SELECT FROM mark) AND quarter > (SELECT up_to FROM mark)
      )
      DELETE FROM resolution_durations WHERE EXISTS (SELECT FROM mark) AND hour > (SELECT up_to FROM mark)`,
    values: [time],
  })
}
