import type { WebhookEndpoint } from '../core/webhooks.ts'
import { announceOfAccount } from '../outbox/notification-number-store.ts'
import { notifyOfOther } from '../outbox/outbox-store.ts'
import { ENDPOINT_COLUMNS, type EndpointRow, isThere, toEndpoint } from '../outbox/webhook-endpoint-store.ts'
import { NOW } from '../platform/database/clock.ts'
import type { Connection } from '../platform/database/connection.ts'
import { plainArray } from '../platform/database/sql-array.ts'
import type { EndpointPlace } from './delivery-store.ts'

/*
 * One server at a time sends to an endpoint: it takes the endpoint for a while and takes it again before that is over.
 */

/** SQL for whether it is before this time. What is further away than it ever is was written before the clock was set back. */
const isBefore = (time: string, longest: string) =>
  `${time} BETWEEN clock_timestamp() AND clock_timestamp() + interval '${longest}'`
/** SQL for what this server may take now ($1). */
const IS_FREE = `disabled IS NULL AND (paused_until IS NULL OR NOT ${isBefore('paused_until', '10 minutes')})
        AND (sender IS NULL OR sender = $1 OR NOT ${isBefore('sender_until', '2 minutes')})`

export interface EndpointWithWork {
  id: string
  userId: string
  types: WebhookEndpoint['types']
  toldUpTo: bigint
  /** Some delivery's time has come. */
  hasDue: boolean
  isFailing: boolean
}

/** All that this server may send to, whether there is something to send or not. */
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
    // Time is asked once: compared with a clock that goes on, the index would be read to its end.
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
    toldUpTo: BigInt(row.told_up_to),
    hasDue: row.has_due,
    isFailing: row.is_failing,
  }))
}

/** An endpoint that this server sends to. */
export interface TakenEndpoint {
  endpoint: WebhookEndpoint
  place: EndpointPlace
  /** Encrypted, the present one first. */
  secrets: Buffer[]
}

/** Null if it is another server's now, or nothing is to be sent to it. */
export async function takeEndpoint(
  db: Connection,
  sender: string,
  id: string,
  forMs: number,
): Promise<TakenEndpoint | null> {
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
    place: toPlace(row),
    secrets: row.old_secret ? [row.secret, row.old_secret] : [row.secret],
  }
}

/** Others may send to these at once. */
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

/** Something has arrived: it is not failing. */
export async function noteSuccess(db: Connection, id: string): Promise<void> {
  await db.query({
    name: 'note_webhook_success',
    text: `-- note_webhook_success
      UPDATE webhook_endpoints SET failing_since = NULL, paused_until = NULL WHERE id = $1`,
    values: [id],
  })
}

/** Nothing has arrived since the last success. Returns for how many milliseconds that has been so. */
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

/** Nobody sends to it for so long. */
export async function pauseEndpoint(db: Connection, id: string, forMs: number): Promise<void> {
  await db.query({
    name: 'pause_webhook_endpoint',
    text: `-- pause_webhook_endpoint
      UPDATE webhook_endpoints SET paused_until = clock_timestamp() + $2 * interval '1 millisecond' WHERE id = $1`,
    values: [id, forMs],
  })
}

/** Disables it, and tells of it in the feed. False if it is so already, or has another URL by now. */
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

/** Where an endpoint stands; null if the account has no such endpoint. */
export async function readPlace(db: Connection, userId: string, id: string): Promise<EndpointPlace | null> {
  const [row] = await db.query<{ told_up_to: string; last_number: string; last_hash: string }>({
    name: 'read_webhook_place',
    text: `-- read_webhook_place
      SELECT told_up_to, last_number, last_hash FROM webhook_endpoints
      WHERE user_id = $1 AND id = $2 AND ${isThere('webhook_endpoints')}`,
    values: [userId, id],
    readOnly: true,
  })
  return row ? toPlace(row) : null
}

const toPlace = (row: { told_up_to: string; last_number: string; last_hash: string }): EndpointPlace => ({
  toldUpTo: BigInt(row.told_up_to),
  lastNumber: Number(row.last_number),
  lastHash: row.last_hash,
})
