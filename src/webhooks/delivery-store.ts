import type { DeliveryStatus, WebhookDelivery } from '../core/webhooks.ts'
import { isThere } from '../outbox/webhook-endpoint-store.ts'
import { NOW } from '../platform/database/clock.ts'
import { Columns } from '../platform/database/columns.ts'
import type { Connection } from '../platform/database/connection.ts'
import { ATTEMPTS_SHOWN, MAX_CLOCK_SETBACK, REDELIVERY_BATCH_SIZE, REMOVAL_BATCH_SIZE } from './limits.ts'

/** A delivery that is not stored yet. */
export interface NewDelivery {
  notificationId: string
  subjectId: string
  type: string
  body: string
  hash: string
  previousHash: string
}

/** The progress of an endpoint. */
export interface EndpointCursor {
  /** Number of the last notification that has a delivery or was skipped. */
  processedUpTo: bigint
  /** Number and hash of the last delivery. */
  lastNumber: number
  lastHash: string
}

const NEW_DELIVERIES = new Columns<NewDelivery>(
  {
    notification_id: ['uuid', ({ notificationId }) => notificationId],
    subject_id: ['uuid', ({ subjectId }) => subjectId],
    type: ['text', ({ type }) => type],
    body: ['text', ({ body }) => body],
    hash: ['text', ({ hash }) => hash],
    previous_hash: ['text', ({ previousHash }) => previousHash],
  },
  7,
)

/**
 * Appends deliveries to an endpoint and advances its cursor to `processedUpTo`. Returns false if another writer has moved the
 * cursor.
 */
export async function appendDeliveries(
  db: Connection,
  endpointId: string,
  cursor: EndpointCursor,
  processedUpTo: bigint,
  made: readonly NewDelivery[],
): Promise<boolean> {
  const [row] = await db.query<{ advanced: number }>({
    name: 'append_webhook_deliveries',
    text: `-- append_webhook_deliveries
      WITH advanced AS (
        UPDATE webhook_endpoints SET told_up_to = $4, last_number = last_number + $5, last_hash = $6
        WHERE id = $1 AND last_number = $2 AND told_up_to = $3 AND ${isThere('webhook_endpoints')}
        RETURNING id, ${NOW} AS now
      ), made AS (
        INSERT INTO webhook_deliveries
          (endpoint_id, number, notification_id, subject_id, type, body, bytes, hash, previous_hash, created_at, next_attempt_at)
        SELECT advanced.id, $2 + d.place, d.notification_id, d.subject_id, d.type, d.body, octet_length(d.body), d.hash,
          d.previous_hash, advanced.now, advanced.now
        FROM advanced, ${NEW_DELIVERIES.as('d', 'place')}
      )
      SELECT count(*)::integer AS advanced FROM advanced`,
    values: [
      endpointId,
      cursor.lastNumber,
      cursor.processedUpTo,
      processedUpTo,
      made.length,
      made.at(-1)?.hash ?? cursor.lastHash,
      ...NEW_DELIVERIES.values(made),
    ],
  })
  return row?.advanced === 1
}

interface DeliveryRow {
  endpoint_id: string
  number: string
  notification_id: string
  subject_id: string
  type: string
  created_at: Date
  hash: string
  previous_hash: string
  status: DeliveryStatus
  next_attempt_at: Date | null
  attempts: {
    started_at: string
    duration_ms: number
    status: number | null
    answer: string | null
    error: string | null
  }[]
}

const DELIVERY_COLUMNS = `d.endpoint_id, d.number, d.notification_id, d.subject_id, d.type, d.created_at, d.hash, d.previous_hash,
        d.status, d.next_attempt_at, ARRAY(
          SELECT jsonb_build_object('started_at', started_at, 'duration_ms', duration_ms, 'status', status,
            'answer', answer, 'error', error)
          FROM (
            SELECT * FROM webhook_attempts a WHERE a.endpoint_id = d.endpoint_id AND a.number = d.number
            ORDER BY attempt DESC LIMIT ${ATTEMPTS_SHOWN}
          ) AS newest ORDER BY attempt
        ) AS attempts`
/** Only endpoints of the account. */
const DELIVERIES_OF_ACCOUNT = `webhook_deliveries d JOIN webhook_endpoints e
        ON e.id = d.endpoint_id AND e.user_id = $1 AND ${isThere('e')}`

const toDelivery = (row: DeliveryRow): WebhookDelivery => ({
  endpointId: row.endpoint_id,
  number: Number(row.number),
  notificationId: row.notification_id,
  subjectId: row.subject_id,
  type: row.type,
  createdAt: row.created_at,
  hash: row.hash,
  previousHash: row.previous_hash,
  status: row.status,
  nextAttemptAt: row.next_attempt_at,
  attempts: row.attempts.map(({ started_at, duration_ms, ...attempt }) => ({
    startedAt: new Date(started_at),
    durationMs: duration_ms,
    ...attempt,
  })),
})

/** The key of a delivery. */
export interface DeliveryAddress {
  endpointId: string
  number: number
}

/** Null if the account has no such delivery. */
export async function findDelivery(
  db: Connection,
  userId: string,
  { endpointId, number }: DeliveryAddress,
): Promise<{ delivery: WebhookDelivery; body: string } | null> {
  const [row] = await db.query<DeliveryRow & { body: string }>({
    name: 'find_webhook_delivery',
    text: `-- find_webhook_delivery
      SELECT ${DELIVERY_COLUMNS}, d.body FROM ${DELIVERIES_OF_ACCOUNT} WHERE d.endpoint_id = $2 AND d.number = $3`,
    values: [userId, endpointId, number],
    readOnly: true,
  })
  return row ? { delivery: toDelivery(row), body: row.body } : null
}

/** The common field of the deliveries in a list. */
type DeliveriesOf = { endpointId: string } | { subjectId: string } | { notificationId: string }

export interface DeliverySpan {
  userId: string
  of: DeliveriesOf
  status: DeliveryStatus | null
  after: DeliveryAddress | null
  order: 'asc' | 'desc'
  count: number
}

/** Ordered by endpoint, then by number. */
export async function listDeliveries(db: Connection, span: DeliverySpan): Promise<WebhookDelivery[]> {
  const { userId, of, status, after, order, count } = span
  const [column, value] =
    'endpointId' in of
      ? ['endpoint_id', of.endpointId]
      : 'subjectId' in of
        ? ['subject_id', of.subjectId]
        : ['notification_id', of.notificationId]
  // A literal, so that the planner can choose the partial index.
  const statusCondition = status === null ? '' : ` AND d.status = '${status}'`
  const beyond =
    after === null ? '' : ` AND (d.endpoint_id, d.number) ${order === 'asc' ? '>' : '<'} ($4, $5::bigint)`
  const rows = await db.query<DeliveryRow>({
    name: ['list_webhook_deliveries', column, status, order, after === null ? '' : 'after'].join('_'),
    text: `-- list_webhook_deliveries
      SELECT ${DELIVERY_COLUMNS} FROM ${DELIVERIES_OF_ACCOUNT}
      WHERE d.${column} = $2${statusCondition}${beyond} ORDER BY d.endpoint_id ${order}, d.number ${order} LIMIT $3`,
    values: [userId, value, count, ...(after === null ? [] : [after.endpointId, after.number])],
    readOnly: true,
  })
  return rows.map(toDelivery)
}

/** Schedules the delivery as if it were new. Returns false if the account has no such delivery. */
export async function redeliver(
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

/**
 * A number below the numbers of all deliveries that were created since `from`. Found by binary search: numbers follow
 * the order of creation.
 */
export async function findNumberBefore(db: Connection, endpointId: string, from: Date): Promise<number> {
  const [row] = await db.query<{ number: string | null }>({
    name: 'find_delivery_number_before',
    text: `-- find_delivery_number_before
      WITH RECURSIVE span AS (
        SELECT min(number) AS low, max(number) + 1 AS high FROM webhook_deliveries WHERE endpoint_id = $1
        UNION ALL
        SELECT CASE WHEN is_before THEN number + 1 ELSE low END, CASE WHEN is_before THEN high ELSE number END
        FROM span, LATERAL (
          SELECT number, created_at < $2::timestamptz - interval '${MAX_CLOCK_SETBACK}' AS is_before
          FROM webhook_deliveries WHERE endpoint_id = $1 AND number = (low + high) / 2 OFFSET 0
        ) AS middle WHERE low < high
      )
      SELECT max(low) - 1 AS number FROM span`,
    values: [endpointId, from],
    readOnly: true,
  })
  return Number(row?.number ?? 0)
}

/**
 * Reschedules the deliveries of a period among the next `REDELIVERY_BATCH_SIZE` after a number. Returns how many were
 * rescheduled, and the last number that was scanned, or null at the end.
 */
export async function redeliverBatch(
  db: Connection,
  endpointId: string,
  { from, to, status, after }: { from: Date; to: Date; status: DeliveryStatus | null; after: number },
): Promise<{ count: number; last: number | null }> {
  const [row] = await db.query<{ count: number; last: string; goes_on: boolean }>({
    name: 'ask_for_deliveries_again',
    text: `-- ask_for_deliveries_again
      WITH looked AS MATERIALIZED (
        SELECT number, created_at FROM webhook_deliveries
        WHERE endpoint_id = $1 AND number > $5 ORDER BY number LIMIT ${REDELIVERY_BATCH_SIZE} FOR UPDATE
      ), rescheduled AS (
        UPDATE webhook_deliveries SET status = 'waiting', tries = 0, asked = asked + 1, next_attempt_at = ${NOW}
        WHERE endpoint_id = $1 AND number > $5 AND number <= (SELECT max(number) FROM looked)
          AND created_at >= $2 AND created_at < $3 AND ($4::text IS NULL OR status = $4)
        RETURNING number
      )
      SELECT (SELECT count(*) FROM rescheduled)::integer AS count, max(number) AS last,
        count(*) = ${REDELIVERY_BATCH_SIZE} AND max(created_at) < $3 AS goes_on FROM looked`,
    values: [endpointId, from, to, status, after],
  })
  const { count, last, goes_on } = row as NonNullable<typeof row>
  return { count, last: goes_on ? Number(last) : null }
}

/**
 * Removes one batch of the endpoint's oldest deliveries with their attempts: deliveries created before the time, or
 * all if the time is null. Returns the number of removed deliveries.
 */
export async function removeDeliveries(
  db: Connection,
  endpointId: string,
  before: Date | null,
): Promise<number> {
  const [row] = await db.query<{ removed: number }>({
    name: 'remove_webhook_deliveries',
    text: `-- remove_webhook_deliveries
      WITH oldest AS MATERIALIZED (
        SELECT number, created_at FROM webhook_deliveries WHERE endpoint_id = $1 ORDER BY number LIMIT ${REMOVAL_BATCH_SIZE}
      ), last AS MATERIALIZED (
        SELECT coalesce(max(number) FILTER (WHERE $2::timestamptz IS NULL OR created_at < $2), 0) AS number FROM oldest
      ), attempts AS (
        DELETE FROM webhook_attempts a USING last WHERE a.endpoint_id = $1 AND a.number <= last.number
      ), removed AS (
        DELETE FROM webhook_deliveries d USING last WHERE d.endpoint_id = $1 AND d.number <= last.number RETURNING d.number
      )
      SELECT count(*)::integer AS removed FROM removed`,
    values: [endpointId, before],
  })
  return row?.removed ?? 0
}
