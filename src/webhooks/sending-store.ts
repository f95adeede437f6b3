import type { DeliveryStatus, WebhookAttempt, WebhookEndpoint } from '../core/webhooks.ts'
import { announceOfAccount } from '../outbox/notification-number-store.ts'
import { notifyOfOther } from '../outbox/outbox-store.ts'
import { ENDPOINT_COLUMNS, type EndpointRow, isThere, toEndpoint } from '../outbox/webhook-endpoint-store.ts'
import { NOW } from '../platform/database/clock.ts'
import { Columns } from '../platform/database/columns.ts'
import type { Connection } from '../platform/database/connection.ts'
import { plainArray } from '../platform/database/sql-array.ts'
import type { EndpointCursor } from './delivery-store.ts'
import { DUE_BATCH_BYTES, DUE_BATCH_SIZE } from './limits.ts'

/* One server at a time sends to an endpoint. It leases the endpoint and renews the lease before the end. */

/**
 * SQL: whether a time is still ahead. A time further ahead than `longest` was written before the clock was set back,
 * and counts as past.
 */
const isAhead = (time: string, longest: string) =>
  `${time} BETWEEN clock_timestamp() AND clock_timestamp() + interval '${longest}'`
/** SQL: whether this server ($1) may lease the endpoint now. */
const IS_FREE = `disabled IS NULL AND (paused_until IS NULL OR NOT ${isAhead('paused_until', '10 minutes')})
        AND (sender IS NULL OR sender = $1 OR NOT ${isAhead('sender_until', '2 minutes')})`

export interface EndpointWithWork {
  id: string
  userId: string
  types: WebhookEndpoint['types']
  processedUpTo: bigint
  /** Whether a delivery is due. */
  hasDue: boolean
  isFailing: boolean
}

/** All endpoints that this server may lease, with or without work. */
export async function findFreeEndpoints(db: Connection, sender: string): Promise<EndpointWithWork[]> {
  const rows = await db.query<{
    id: string
    user_id: string
    types: EndpointRow['types']
    told_up_to: string
    has_due: boolean
    is_failing: boolean
  }>({
    name: 'find_free_webhook_endpoints',
    // A subquery is evaluated once. Compared with a volatile clock, the index would be scanned to its end.
    text: `-- find_free_webhook_endpoints
      SELECT id, user_id, types, told_up_to, failing_since IS NOT NULL AS is_failing, EXISTS (
        SELECT FROM webhook_deliveries d
        WHERE d.endpoint_id = e.id AND d.status = 'waiting' AND d.next_attempt_at <= (SELECT ${NOW})
      ) AS has_due
      FROM webhook_endpoints e WHERE ${IS_FREE}`,
    values: [sender],
    readOnly: true,
  })
  return rows.map((row) => ({
    id: row.id,
    userId: row.user_id,
    types: row.types,
    processedUpTo: BigInt(row.told_up_to),
    hasDue: row.has_due,
    isFailing: row.is_failing,
  }))
}

/** An endpoint that this server has leased. */
export interface LeasedEndpoint {
  endpoint: WebhookEndpoint
  cursor: EndpointCursor
  /** Encrypted; the current secret first. */
  secrets: Buffer[]
}

/** Null if another server has the lease, or if nothing may be sent to the endpoint. */
export async function leaseEndpoint(
  db: Connection,
  sender: string,
  id: string,
  forMs: number,
): Promise<LeasedEndpoint | null> {
  const [row] = await db.query<
    EndpointRow & { told_up_to: string; secret: Buffer; old_secret: Buffer | null }
  >({
    name: 'take_webhook_endpoint',
    text: `-- take_webhook_endpoint
      UPDATE webhook_endpoints SET sender = $1, sender_until = clock_timestamp() + $3 * interval '1 millisecond'
      WHERE id = $2 AND ${IS_FREE}
      RETURNING ${ENDPOINT_COLUMNS}, told_up_to, secret,
        CASE WHEN old_secret_until > clock_timestamp() THEN old_secret END AS old_secret`,
    values: [sender, id, forMs],
  })
  if (!row) return null
  return {
    endpoint: toEndpoint(row),
    cursor: toEndpointCursor(row),
    secrets: row.old_secret ? [row.secret, row.old_secret] : [row.secret],
  }
}

/** Other servers may lease these endpoints at once. */
export async function releaseEndpoints(
  db: Connection,
  sender: string,
  ids: readonly string[],
): Promise<void> {
  await db.query({
    name: 'release_webhook_endpoints',
    text: `-- release_webhook_endpoints
      UPDATE webhook_endpoints SET sender = NULL, sender_until = NULL WHERE id = ANY ($2::uuid[]) AND sender = $1`,
    values: [sender, plainArray(ids)],
  })
}

/** A delivery succeeded: the endpoint is not failing. */
export async function noteSuccess(db: Connection, id: string): Promise<void> {
  await db.query({
    name: 'note_webhook_success',
    text: `-- note_webhook_success
      UPDATE webhook_endpoints SET failing_since = NULL, paused_until = NULL WHERE id = $1`,
    values: [id],
  })
}

/** Records that the endpoint is failing. Returns for how many milliseconds it has been failing. */
export async function noteFailure(db: Connection, id: string): Promise<number> {
  const [row] = await db.query<{ ms: number }>({
    name: 'note_webhook_failure',
    text: `-- note_webhook_failure
      UPDATE webhook_endpoints SET failing_since = coalesce(failing_since, ${NOW}) WHERE id = $1
      RETURNING (extract(epoch FROM ${NOW} - failing_since) * 1000)::float8 AS ms`,
    values: [id],
  })
  return row?.ms ?? 0
}

/** No server sends to the endpoint during the pause. */
export async function pauseEndpoint(db: Connection, id: string, forMs: number): Promise<void> {
  await db.query({
    name: 'pause_webhook_endpoint',
    text: `-- pause_webhook_endpoint
      UPDATE webhook_endpoints SET paused_until = clock_timestamp() + $2 * interval '1 millisecond' WHERE id = $1`,
    values: [id, forMs],
  })
}

/** Disables the endpoint and stores a notification. Returns false if it is disabled already or has another URL. */
export async function disableEndpoint(
  db: Connection,
  { userId, id, url }: Pick<WebhookEndpoint, 'userId' | 'id' | 'url'>,
  reason: 'failing' | 'gone',
): Promise<boolean> {
  return db.transaction(async (connection) => {
    const key = await announceOfAccount(connection, userId)
    const disabled = await connection.query({
      name: 'disable_webhook_endpoint',
      text: `-- disable_webhook_endpoint
        UPDATE webhook_endpoints SET disabled = $2 WHERE id = $1 AND disabled IS NULL AND url = $3 RETURNING id`,
      values: [id, reason, url],
    })
    if (disabled.length === 0) return false
    await notifyOfOther(connection, { userId, subjectId: id, kind: reason, at: null }, key)
    return true
  })
}

/** Null if the account has no such endpoint. */
export async function readEndpointCursor(
  db: Connection,
  userId: string,
  id: string,
): Promise<EndpointCursor | null> {
  const [row] = await db.query<{ told_up_to: string; last_number: string; last_hash: string }>({
    name: 'read_webhook_place',
    text: `-- read_webhook_place
      SELECT told_up_to, last_number, last_hash FROM webhook_endpoints
      WHERE user_id = $1 AND id = $2 AND ${isThere('webhook_endpoints')}`,
    values: [userId, id],
    readOnly: true,
  })
  return row ? toEndpointCursor(row) : null
}

const toEndpointCursor = (row: {
  told_up_to: string
  last_number: string
  last_hash: string
}): EndpointCursor => ({
  processedUpTo: BigInt(row.told_up_to),
  lastNumber: Number(row.last_number),
  lastHash: row.last_hash,
})

/** A delivery whose attempt is due. */
export interface DueDelivery {
  number: number
  notificationId: string
  subjectId: string
  body: string
  previousHash: string
  /** All attempts so far. `tries` counts those since the last redelivery request. */
  attempts: number
  tries: number
  /** Number of redelivery requests. */
  redeliveryRequests: number
}

/**
 * The deliveries that have been due for longest, except the numbers `but`. A body is read only for the returned rows,
 * because long bodies are stored out of line (TOAST). A self-join had plans that read the whole table if they were
 * made while it was small.
 */
export async function readDueDeliveries(
  db: Connection,
  endpointId: string,
  but: readonly number[],
): Promise<DueDelivery[]> {
  const rows = await db.query<{
    number: string
    notification_id: string
    subject_id: string
    body: string
    previous_hash: string
    attempts: number
    tries: number
    asked: number
  }>({
    name: 'read_due_deliveries',
    // A subquery is evaluated once. Compared with a volatile clock, the index would be scanned to its end.
    text: `-- read_due_deliveries
      WITH due AS MATERIALIZED (
        SELECT number, notification_id, subject_id, body, bytes, previous_hash, attempts, tries, asked, next_attempt_at
        FROM webhook_deliveries
        WHERE endpoint_id = $1 AND status = 'waiting' AND next_attempt_at <= (SELECT ${NOW}) AND number <> ALL ($2::bigint[])
        ORDER BY next_attempt_at, number LIMIT ${DUE_BATCH_SIZE}
      ), few AS (
        SELECT *, sum(bytes) OVER (ORDER BY next_attempt_at, number) - bytes AS bytes_before FROM due
      )
      SELECT number, notification_id, subject_id, body, previous_hash, attempts, tries, asked
      FROM few WHERE bytes_before < ${DUE_BATCH_BYTES} ORDER BY number`,
    values: [endpointId, plainArray(but.map(String))],
    readOnly: true,
  })
  return rows.map((row) => ({
    number: Number(row.number),
    notificationId: row.notification_id,
    subjectId: row.subject_id,
    body: row.body,
    previousHash: row.previous_hash,
    attempts: row.attempts,
    tries: row.tries,
    redeliveryRequests: row.asked,
  }))
}

/** A completed attempt of a delivery. */
export interface CompletedAttempt extends Omit<WebhookAttempt, 'startedAt'> {
  due: Pick<DueDelivery, 'number' | 'attempts' | 'redeliveryRequests'>
  /** Milliseconds since the attempt began. */
  agoMs: number
  nextStatus: DeliveryStatus
  /** Milliseconds until the next attempt. Null if there is none. */
  waitMs: number | null
}

/**
 * The bounds limit every plan to these deliveries and the ones between. Before PostgreSQL 17 a plan that was made for
 * an empty table compares all deliveries of the endpoint with the list.
 */
const IS_AMONG_ATTEMPTS = `d.endpoint_id = $1 AND d.number = ANY ($2::bigint[])
          AND d.number BETWEEN (SELECT min(number) FROM recent) AND (SELECT max(number) FROM recent)`

const ATTEMPTS = new Columns<CompletedAttempt>(
  {
    number: ['bigint', ({ due }) => due.number],
    attempts: ['integer', ({ due }) => due.attempts],
    asked: ['integer', ({ due }) => due.redeliveryRequests],
    ago_ms: ['bigint', ({ agoMs }) => agoMs],
    duration_ms: ['integer', ({ durationMs }) => durationMs],
    answered: ['integer', ({ status }) => status],
    answer: ['text', ({ answer }) => answer],
    error: ['text', ({ error }) => error],
    next_status: ['text', ({ nextStatus }) => nextStatus],
    wait_ms: ['bigint', ({ waitMs }) => waitMs],
  },
  2,
)

/**
 * Records each attempt once, also if the statement is repeated. A delivery with a newer redelivery request keeps
 * waiting, whatever the result.
 */
export async function recordAttempts(
  db: Connection,
  endpointId: string,
  attempts: readonly CompletedAttempt[],
): Promise<void> {
  await db.query({
    name: 'record_webhook_attempts',
    // Rows are locked in the order of their numbers, as in every statement that locks several: this prevents
    // deadlocks.
    text: `-- record_webhook_attempts
      WITH recent AS (
        SELECT * FROM ${ATTEMPTS.as('a')}
      ), locked AS MATERIALIZED (
        SELECT number FROM webhook_deliveries d WHERE ${IS_AMONG_ATTEMPTS}
        ORDER BY number FOR UPDATE
      ), counted AS (
        UPDATE webhook_deliveries d SET attempts = d.attempts + 1,
          tries = CASE WHEN d.asked = recent.asked THEN d.tries + 1 ELSE d.tries END,
          status = CASE WHEN d.asked = recent.asked THEN recent.next_status ELSE d.status END,
          next_attempt_at = CASE WHEN d.asked = recent.asked
            THEN ${NOW} + recent.wait_ms * interval '1 millisecond' ELSE d.next_attempt_at END
        FROM recent JOIN locked USING (number)
        WHERE ${IS_AMONG_ATTEMPTS}
          AND d.number = recent.number AND d.attempts = recent.attempts
        RETURNING d.number, d.attempts AS attempt
      )
      INSERT INTO webhook_attempts (endpoint_id, number, attempt, started_at, duration_ms, status, answer, error)
      SELECT $1, number, attempt, ${NOW} - ago_ms * interval '1 millisecond', duration_ms, answered, answer, error
      FROM recent JOIN counted USING (number)`,
    values: [endpointId, ...ATTEMPTS.values(attempts)],
  })
}
