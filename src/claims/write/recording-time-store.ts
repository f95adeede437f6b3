import type { Claim } from '../../core/claims/claim.ts'
import { hasEventNotifications } from '../../outbox/webhook-endpoint-store.ts'
import { NOW } from '../../platform/database/clock.ts'
import type { Connection } from '../../platform/database/connection.ts'
import { plainArray } from '../../platform/database/sql-array.ts'

/** The source of the time of recording: the database, or the test clocks of one account. */
export type TimeSource = { kind: 'live' } | { kind: 'test clocks'; userId: string }

export const LIVE = `SELECT NULL::uuid AS id, ${NOW} AS now`
/**
 * The lock keeps a clock from being advanced until the events are committed. A clock that is being advanced is skipped.
 */
export const heldTestClocks = (first: number) => `SELECT id, frozen_time AS now FROM test_clocks
        WHERE user_id = $${first} AND id = ANY ($${first + 1}::uuid[]) FOR SHARE SKIP LOCKED`

/** The accounts among the given ones ($1) that get event notifications. A subselect, as in `lookupRows`. */
const GIVEN_SUBSCRIBERS = `ARRAY(SELECT account FROM unnest((SELECT $1::uuid[])) AS a (account) WHERE ${hasEventNotifications('account')}) AS subscribers`
const READ_LIVE_CLOCK = `-- read_live_clock
      SELECT *, ${GIVEN_SUBSCRIBERS} FROM (${LIVE}) AS clock`
const HOLD_TEST_CLOCKS = `-- hold_test_clocks
      SELECT *, ${GIVEN_SUBSCRIBERS} FROM (${heldTestClocks(2)}) AS clocks`

/**
 * The time of each clock by its id; null stands for the database. Clocks that are being advanced or gone are missing.
 */
export interface Clocks {
  clocks: Map<string | null, Date>
  /** The accounts that get event notifications. */
  subscribers: Set<string>
}

/** Reads the clocks of the claims. Test clocks stay locked against advances until the transaction ends. */
export async function readClocks(
  db: Connection,
  claims: readonly Pick<Claim, 'userId' | 'testClockId'>[],
  time: TimeSource,
): Promise<Clocks> {
  type Row = { id: string | null; now: Date; subscribers: string[] }
  const accounts = plainArray([...new Set(claims.map(({ userId }) => userId))])
  const ids = new Set(claims.flatMap(({ testClockId }) => testClockId ?? []))
  const rows =
    time.kind === 'live'
      ? await db.query<Row>({ name: 'read_live_clock', text: READ_LIVE_CLOCK, values: [accounts] })
      : await db.query<Row>({
          name: 'hold_test_clocks',
          text: HOLD_TEST_CLOCKS,
          values: [accounts, time.userId, plainArray([...ids])],
        })
  return { clocks: new Map(rows.map(({ id, now }) => [id, now])), subscribers: new Set(rows[0]?.subscribers) }
}
