import { NOTIFYING, NOTIFYING_OF_PART } from '../platform/database/advisory-locks.ts'
import type { Connection } from '../platform/database/connection.ts'

/** What has waited for longest, in seconds; 0 for nothing. */
export interface Lags {
  /** Of deliveries whose time has come, of endpoints to which is being sent. */
  dueDelivery: number
  /** Of transactions before which no feed goes on. */
  heldFeed: number
}

/** Each is looked up by an index, or among few: however much there is. */
export async function readLags(db: Connection): Promise<Lags> {
  return {
    dueDelivery: await readSeconds(db, 'read_delivery_lag', DUE_DELIVERY),
    heldFeed: await readSeconds(db, 'read_feed_lag', HELD_FEED),
  }
}

/**
 * For how long a live claim has been due, in seconds; 0 if none is. Looked up by its index, which a check leaves full of what
 * it has moved: while one is on, that can take as long as to read all of it.
 */
export const readOverdueLag = (db: Connection): Promise<number> =>
  readSeconds(db, 'read_overdue_lag', OVERDUE_CLAIM)

async function readSeconds(db: Connection, name: string, text: string): Promise<number> {
  const [row] = await db.query<{ seconds: number | null }>({ name, text, readOnly: true })
  return Math.max(0, row?.seconds ?? 0)
}

/** Milliseconds that the smallest statement takes. */
export async function timeRoundTrip(db: Connection): Promise<number> {
  const sentAt = performance.now()
  await db.query({
    name: 'round_trip',
    text: `-- round_trip
      SELECT`,
    readOnly: true,
  })
  return performance.now() - sentAt
}

const since = (time: string) => `extract(epoch FROM clock_timestamp() - ${time})::float8 AS seconds`

const OVERDUE_CLAIM = `-- read_overdue_lag
  SELECT ${since('due_at')} FROM claims
  WHERE due_at <= now() AND test_clock_id IS NULL ORDER BY due_at, id LIMIT 1`

const DUE_DELIVERY = `-- read_delivery_lag
  SELECT ${since('min(d.next_attempt_at)')} FROM webhook_endpoints e, LATERAL (
    SELECT next_attempt_at FROM webhook_deliveries
    WHERE endpoint_id = e.id AND status = 'waiting' ORDER BY next_attempt_at, number LIMIT 1
  ) AS d
  WHERE e.disabled IS NULL AND e.failing_since IS NULL`

const HELD_FEED = `-- read_feed_lag
  SELECT ${since('min(a.xact_start)')} FROM pg_locks l JOIN pg_stat_activity a USING (pid)
  WHERE l.locktype = 'advisory' AND l.objsubid = 1
    AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())
    AND l.classid::bigint BETWEEN ${NOTIFYING} AND ${NOTIFYING_OF_PART} + 255`
