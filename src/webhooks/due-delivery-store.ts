import type { DeliveryStatus, WebhookAttempt } from '../core/webhooks.ts'
import { NOW } from '../platform/database/clock.ts'
import type { Connection } from '../platform/database/connection.ts'
import { plainArray } from '../platform/database/sql-array.ts'

/** A delivery whose time has come. */
export interface DueDelivery {
  number: number
  notificationId: string
  subjectId: string
  body: string
  previousHash: string
  /** That were made, and those of them since it was last asked for. */
  attempts: number
  tries: number
  /** How often it was asked for again. */
  asked: number
}

const DUE_AT_ONCE = 100
/** Of bodies that are read at a time, unless the first alone has more. */
const DUE_BYTES = 256 * 1_024

/**
 * Those that are due for the longest, but for these. A long body is not read before it is known whether it is wanted, since
 * it lies elsewhere; a join of the table with itself had plans that read all that was ever sent, if they were made early.
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
    // Time is asked once: compared with a clock that goes on, the index would be read to its end.
    text: `-- read_due_deliveries
      WITH due AS MATERIALIZED (
        SELECT number, notification_id, subject_id, body, bytes, previous_hash, attempts, tries, asked, next_attempt_at
        FROM webhook_deliveries
        WHERE endpoint_id = $1 AND status = 'waiting' AND next_attempt_at <= (SELECT ${NOW}) AND number <> ALL ($2::bigint[])
        ORDER BY next_attempt_at, number LIMIT ${DUE_AT_ONCE}
      ), few AS (
        SELECT *, sum(bytes) OVER (ORDER BY next_attempt_at, number) - bytes AS bytes_before FROM due
      )
      SELECT number, notification_id, subject_id, body, previous_hash, attempts, tries, asked
      FROM few WHERE bytes_before < ${DUE_BYTES} ORDER BY number`,
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
    asked: row.asked,
  }))
}

/** An attempt that was made of a delivery. */
export interface MadeAttempt extends Omit<WebhookAttempt, 'startedAt'> {
  due: Pick<DueDelivery, 'number' | 'attempts' | 'asked'>
  /** How long ago it was begun, in milliseconds. */
  agoMs: number
  became: DeliveryStatus
  /** Milliseconds until the next one, if it waits for that. */
  waitMs: number | null
}

/**
 * By the bounds any plan reads these alone, and what lies between: one that was made for an empty table, before PostgreSQL 17, looks
 * for a list of numbers in all of the endpoint's.
 */
const ONE_OF_MADE = `d.endpoint_id = $1 AND d.number = ANY ($2::bigint[])
          AND d.number BETWEEN (SELECT min(number) FROM made) AND (SELECT max(number) FROM made)`

/**
 * Once for each, however often it is told. What was asked for again meanwhile waits on, whatever came of this attempt.
 */
export async function recordAttempts(
  db: Connection,
  endpointId: string,
  made: readonly MadeAttempt[],
): Promise<void> {
  await db.query({
    name: 'record_webhook_attempts',
    // In the order of their numbers, as all who change several: none waits for another in a circle.
    text: `-- record_webhook_attempts
      WITH made AS (
        SELECT * FROM unnest($2::bigint[], $3::integer[], $4::integer[], $5::bigint[], $6::integer[], $7::integer[], $8::text[],
          $9::text[], $10::text[], $11::bigint[])
          AS m (number, attempts, asked, ago_ms, duration_ms, answered, answer, error, became, wait_ms)
      ), held AS MATERIALIZED (
        SELECT number FROM webhook_deliveries d WHERE ${ONE_OF_MADE}
        ORDER BY number FOR UPDATE
      ), counted AS (
        UPDATE webhook_deliveries d SET attempts = d.attempts + 1,
          tries = CASE WHEN d.asked = made.asked THEN d.tries + 1 ELSE d.tries END,
          status = CASE WHEN d.asked = made.asked THEN made.became ELSE d.status END,
          next_attempt_at = CASE WHEN d.asked = made.asked
            THEN ${NOW} + made.wait_ms * interval '1 millisecond' ELSE d.next_attempt_at END
        FROM made JOIN held USING (number)
        WHERE ${ONE_OF_MADE}
          AND d.number = made.number AND d.attempts = made.attempts
        RETURNING d.number, d.attempts AS attempt
      )
      INSERT INTO webhook_attempts (endpoint_id, number, attempt, started_at, duration_ms, status, answer, error)
      SELECT $1, number, attempt, ${NOW} - ago_ms * interval '1 millisecond', duration_ms, answered, answer, error
      FROM made JOIN counted USING (number)`,
    values: [
      endpointId,
      plainArray(made.map(({ due }) => `${due.number}`)),
      plainArray(made.map(({ due }) => due.attempts)),
      plainArray(made.map(({ due }) => due.asked)),
      plainArray(made.map(({ agoMs }) => `${agoMs}`)),
      plainArray(made.map(({ durationMs }) => durationMs)),
      made.map(({ status }) => status),
      made.map(({ answer }) => answer),
      made.map(({ error }) => error),
      plainArray(made.map(({ became }) => became)),
      made.map(({ waitMs }) => waitMs),
    ],
  })
}
