import type { DeliveryStatus } from '../core/webhooks.ts'
import { isThere } from '../outbox/webhook-endpoint-store.ts'
import { NOW } from '../platform/database/clock.ts'
import type { Connection } from '../platform/database/connection.ts'
import type { DeliveryAddress } from './delivery-store.ts'

/** It is sent again, as if for the first time. False if the account has none there. */
export async function askAgain(
  db: Connection,
  userId: string,
  { endpointId, number }: DeliveryAddress,
): Promise<boolean> {
  const rows = await db.query({
    name: 'ask_for_delivery_again',
    text: `-- ask_for_delivery_again
      UPDATE webhook_deliveries d SET status = 'waiting', tries = 0, asked = asked + 1, next_attempt_at = ${NOW}
      FROM webhook_endpoints e
      WHERE d.endpoint_id = $2 AND d.number = $3
        AND e.id = d.endpoint_id AND e.user_id = $1 AND ${isThere('e')}
      RETURNING d.number`,
    values: [userId, endpointId, number],
  })
  return rows.length > 0
}

/** A clock that is set back by less loses nothing. */
const SET_BACK = "interval '1 hour'"

/** A number before which no delivery was made from this moment on. They are made in the order of their numbers: it is searched for. */
export async function findNumberBefore(db: Connection, endpointId: string, from: Date): Promise<number> {
  const [row] = await db.query<{ number: string | null }>({
    name: 'find_delivery_number_before',
    text: `-- find_delivery_number_before
      WITH RECURSIVE span AS (
        SELECT min(number) AS low, max(number) + 1 AS high FROM webhook_deliveries WHERE endpoint_id = $1
        UNION ALL
        SELECT CASE WHEN is_before THEN number + 1 ELSE low END, CASE WHEN is_before THEN high ELSE number END
        FROM span, LATERAL (
          SELECT number, created_at < $2::timestamptz - ${SET_BACK} AS is_before
          FROM webhook_deliveries WHERE endpoint_id = $1 AND number = (low + high) / 2 OFFSET 0
        ) AS middle WHERE low < high
      )
      SELECT max(low) - 1 AS number FROM span`,
    values: [endpointId, from],
    readOnly: true,
  })
  return Number(row?.number ?? 0)
}

const ASKED_AT_ONCE = 1_000

/**
 * The next thousand after this number that were made in this time. Returns how many are sent again, and the number of the
 * last that was looked at; null at the end.
 */
export async function askForSomeAgain(
  db: Connection,
  endpointId: string,
  { from, to, status, after }: { from: Date; to: Date; status: DeliveryStatus | null; after: number },
): Promise<{ asked: number; last: number | null }> {
  const [row] = await db.query<{ asked: number; last: string; goes_on: boolean }>({
    name: 'ask_for_deliveries_again',
    text: `-- ask_for_deliveries_again
      WITH looked AS MATERIALIZED (
        SELECT number, created_at FROM webhook_deliveries
        WHERE endpoint_id = $1 AND number > $5 ORDER BY number LIMIT ${ASKED_AT_ONCE} FOR UPDATE
      ), asked AS (
        UPDATE webhook_deliveries SET status = 'waiting', tries = 0, asked = asked + 1, next_attempt_at = ${NOW}
        WHERE endpoint_id = $1 AND number > $5 AND number <= (SELECT max(number) FROM looked)
          AND created_at >= $2 AND created_at < $3 AND ($4::text IS NULL OR status = $4)
        RETURNING number
      )
      SELECT (SELECT count(*) FROM asked)::integer AS asked, max(number) AS last,
        count(*) = ${ASKED_AT_ONCE} AND max(created_at) < $3 AS goes_on FROM looked`,
    values: [endpointId, from, to, status, after],
  })
  const { asked, last, goes_on } = row as NonNullable<typeof row>
  return { asked, last: goes_on ? Number(last) : null }
}
