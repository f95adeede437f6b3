import { CHECK_OF_SHARD, SCHEDULED_CHECK } from '../platform/database/advisory-locks.ts'
import type { Connection } from '../platform/database/connection.ts'

/** For so long the turns may be held while others move claims: longer than any check of a minute takes. */
const LONGEST_TURN = '300s'

/**
 * Takes the turns of some of these shards: until the transaction ends no other server works on their due claims, so the
 * same work is not done twice, and nothing is summed up. The connection asks no machine but the coordinator: one that is
 * silent would have it hold them for as long. Returns those of which others do not work now; nothing while
 * somebody sums up.
 */
export async function takeCheckTurns(
  db: Connection,
  shards: readonly number[],
  most: number,
): Promise<number[]> {
  const rows = await db.query<{ shard: number }>({
    text: `-- take_check_turns
      WITH checks AS MATERIALIZED (SELECT pg_try_advisory_xact_lock_shared(${SCHEDULED_CHECK}) AS are_on)
      SELECT shard FROM checks, set_config('idle_in_transaction_session_timeout', '${LONGEST_TURN}', true),
        unnest($1::integer[]) AS shard
      WHERE are_on AND pg_try_advisory_xact_lock(${CHECK_OF_SHARD}, shard)
      LIMIT $2`,
    values: [shards, most],
  })
  return rows.map(({ shard }) => shard)
}

/** Until the transaction ends no server works on due claims. False if one does now. */
export async function tryHoldChecks(db: Connection): Promise<boolean> {
  const [row] = await db.query<{ held: boolean }>({
    text: `-- hold_checks
      SELECT pg_try_advisory_xact_lock(${SCHEDULED_CHECK}) AS held`,
  })
  return row?.held === true
}
