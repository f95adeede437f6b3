import { NOTIFICATION_NUMBERS, NOTIFICATION_NUMBERS_PARTITION } from '../platform/database/advisory-locks.ts'
import type { Connection } from '../platform/database/connection.ts'

/** How long the oldest work has waited; 0 if nothing waits. */
export interface Lags {
  /** How long the longest waiting delivery of a working endpoint has been due. */
  dueDeliverySeconds: number
  /** Age of the oldest transaction that holds back feeds. */
  heldFeedSeconds: number
}

/** Each statement reads an index or few rows, however large the tables are. */
export async function readLags(db: Connection): Promise<Lags> {
  return {
    dueDeliverySeconds: await readSeconds(db, 'read_delivery_lag', DUE_DELIVERY),
    heldFeedSeconds: await readSeconds(db, 'read_feed_lag', HELD_FEED),
  }
}

/**
 * Seconds for which the longest overdue live claim has been due; 0 if no claim is due. Reads the index of due times, which contains entries of moved claims
 * during a check: then it can take as long as reading all of them.
 */
export const readOverdueLag = (db: Connection): Promise<number> =>
  readSeconds(db, 'read_overdue_lag', OVERDUE_CLAIM)

async function readSeconds(db: Connection, name: string, text: string): Promise<number> {
  const [row] = await db.query<{ seconds: number | null }>({ name, text, readOnly: true })
  return Math.max(0, row?.seconds ?? 0)
}

/** The round-trip time of an empty statement, in milliseconds. */
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

const secondsSince = (time: string) => `extract(epoch FROM clock_timestamp() - ${time})::float8 AS seconds`

const OVERDUE_CLAIM = `-- read_overdue_lag
  SELECT ${secondsSince('due_at')} FROM claims
  WHERE due_at <= now() AND test_clock_id IS NULL ORDER BY due_at, id LIMIT 1`

const DUE_DELIVERY = `-- read_delivery_lag
  SELECT ${secondsSince('min(d.next_attempt_at)')} FROM webhook_endpoints e, LATERAL (
    SELECT next_attempt_at FROM webhook_deliveries
    WHERE endpoint_id = e.id AND status = 'waiting' ORDER BY next_attempt_at, number LIMIT 1
  ) AS d
  WHERE e.disabled IS NULL AND e.failing_since IS NULL`

const HELD_FEED = `-- read_feed_lag
  SELECT ${secondsSince('min(a.xact_start)')} FROM pg_locks l JOIN pg_stat_activity a USING (pid)
  WHERE l.locktype = 'advisory' AND l.objsubid = 1
    AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())
    AND l.classid::bigint BETWEEN ${NOTIFICATION_NUMBERS} AND ${NOTIFICATION_NUMBERS_PARTITION} + 255`

/** The lag of the longest overdue claim, as far as this process knows. */
export class OverdueLag {
  #measured = { seconds: 0, at: performance.now() }
  #isCheckRunning = false

  /** Call with scheduled checks that run until no claim is due. */
  async during(db: Connection, checks: () => Promise<void>): Promise<void> {
    // If the lag cannot be measured, the checks fail with the reason.
    await this.#measure(db).catch(() => {})
    this.#isCheckRunning = true
    try {
      await checks()
    } finally {
      this.#isCheckRunning = false
    }
  }

  /**
   * 0 if no claim is due. While a check runs, measuring costs too much: then this is an upper bound, the last measured lag plus
   * the time since.
   */
  async seconds(db: Connection): Promise<number> {
    if (!this.#isCheckRunning) await this.#measure(db)
    const { seconds, at } = this.#measured
    return this.#isCheckRunning ? seconds + (performance.now() - at) / 1_000 : seconds
  }

  async #measure(db: Connection): Promise<void> {
    const at = performance.now()
    this.#measured = { seconds: await readOverdueLag(db), at }
  }
}
