import type { ExpectedVersions, Versioned } from '../core/records.ts'
import type { WebhookEndpoint } from '../core/webhooks.ts'
import { ENDPOINT_COLUMNS, type EndpointRow, isThere, toEndpoint } from '../outbox/webhook-endpoint-store.ts'
import { NOW } from '../platform/database/clock.ts'
import type { Connection } from '../platform/database/connection.ts'
import { Parameters } from '../platform/database/parameters.ts'
import { isExpected, versionOf } from '../platform/database/record-version.ts'
import { HEALTH_ATTEMPTS, MAX_WAITING_COUNTED } from './limits.ts'

const IS_THERE = isThere('webhook_endpoints')

/** Only of the settings: progress and health change at any time. */
const VERSION = versionOf('url', 'types', 'customer_id', 'description', 'disabled')

/** The settings that the account chooses. */
export type EndpointSettings = Pick<
  WebhookEndpoint,
  'url' | 'types' | 'customerId' | 'description' | 'disabled'
>

/**
 * Null if the account has the maximum number. Concurrent inserts are not counted.
 * @param processedUpTo the number of the last notification that the endpoint does not get
 */
export async function insertEndpoint(
  db: Connection,
  made: EndpointSettings & {
    id: string
    userId: string
    secret: Buffer
    processedUpTo: bigint
    lastHash: string
  },
  most: number,
): Promise<Versioned<{ endpoint: WebhookEndpoint }> | null> {
  const query = new Parameters()
  const columns = query.row({
    id: made.id,
    user_id: made.userId,
    url: made.url,
    types: made.types,
    customer_id: made.customerId,
    description: made.description,
    disabled: made.disabled,
    secret: made.secret,
    told_up_to: made.processedUpTo,
    last_hash: made.lastHash,
  })
  const [row] = await db.query<Versioned<EndpointRow>>({
    name: 'insert_webhook_endpoint',
    text: `-- insert_webhook_endpoint
      INSERT INTO webhook_endpoints (created_at, ${columns.names}) SELECT ${NOW}, ${columns.parameters}
      WHERE (SELECT count(*) FROM webhook_endpoints WHERE user_id = ${query.parameter(made.userId)} AND ${IS_THERE})
        < ${query.parameter(most)}
      RETURNING ${ENDPOINT_COLUMNS}, ${VERSION} AS version`,
    values: query.values,
  })
  return row ? { endpoint: toEndpoint(row), version: row.version } : null
}

/** Computed from the newest attempts and the waiting deliveries. */
export interface EndpointHealth {
  attempts: number
  succeeded: number
  medianMs: number | null
  /** Counted up to `MAX_WAITING_COUNTED`. */
  waiting: number
  oldestWaitingAt: Date | null
}

/** The account's endpoints in the order of their creation, or only the endpoint with this id. */
export async function readEndpoints(
  db: Connection,
  userId: string,
  id: string | null,
): Promise<Versioned<{ endpoint: WebhookEndpoint; health: EndpointHealth }>[]> {
  const rows = await db.query<
    Versioned<EndpointRow> & {
      made: number
      succeeded: number
      median_ms: number | null
      waiting: number
      oldest_waiting_at: Date | null
    }
  >({
    name: 'read_webhook_endpoints',
    text: `-- read_webhook_endpoints
      SELECT ${ENDPOINT_COLUMNS}, ${VERSION} AS version, made, succeeded, median_ms, waiting, oldest_waiting_at
      FROM webhook_endpoints e, LATERAL (
        SELECT count(*)::integer AS made, (count(*) FILTER (WHERE error IS NULL))::integer AS succeeded,
          percentile_disc(0.5) WITHIN GROUP (ORDER BY duration_ms) AS median_ms
        FROM (
          SELECT error, duration_ms FROM webhook_attempts
          WHERE endpoint_id = e.id ORDER BY started_at DESC LIMIT ${HEALTH_ATTEMPTS}
        ) AS newest
      ) AS tried, LATERAL (
        SELECT count(*)::integer AS waiting, min(created_at) AS oldest_waiting_at
        FROM (
          SELECT created_at FROM webhook_deliveries
          WHERE endpoint_id = e.id AND status = 'waiting' ORDER BY next_attempt_at, number LIMIT ${MAX_WAITING_COUNTED}
        ) AS due
      ) AS queue
      WHERE user_id = $1 AND ${isThere('e')} AND ($2::uuid IS NULL OR id = $2)
      ORDER BY id`,
    values: [userId, id],
    readOnly: true,
  })
  return rows.map((row) => ({
    endpoint: toEndpoint(row),
    version: row.version,
    health: {
      attempts: row.made,
      succeeded: row.succeeded,
      medianMs: row.median_ms,
      waiting: row.waiting,
      oldestWaitingAt: row.oldest_waiting_at,
    },
  }))
}

/** Notifications up to number `upTo` that are not for the endpoint with the settings of this version. */
export interface SkippedNotifications {
  version: string
  after: bigint
  upTo: bigint
}

/**
 * Changes the settings, and clears the failure state: the change may have repaired the endpoint. Returns false if the
 * account has no such endpoint, or if the endpoint has none of the expected versions.
 */
export async function updateEndpoint(
  db: Connection,
  userId: string,
  id: string,
  changes: Partial<EndpointSettings>,
  expected: ExpectedVersions,
  skipped: SkippedNotifications | null,
): Promise<boolean> {
  const query = new Parameters()
  const isGiven = (key: keyof EndpointSettings) => query.parameter(changes[key] !== undefined)
  const newValue = (key: keyof EndpointSettings, column: string) =>
    `CASE WHEN ${isGiven(key)} THEN ${query.parameter(changes[key])} ELSE ${column} END`
  const mayBeRepaired = `${isGiven('url')} OR ${isGiven('disabled')}`
  const rows = await db.query({
    name: 'update_webhook_endpoint',
    text: `-- update_webhook_endpoint
      UPDATE webhook_endpoints SET
        url = ${newValue('url', 'url')},
        types = ${newValue('types', 'types')},
        customer_id = ${newValue('customerId', 'customer_id')},
        description = ${newValue('description', 'description')},
        disabled = ${newValue('disabled', 'disabled')},
        failing_since = CASE WHEN ${mayBeRepaired} THEN NULL ELSE failing_since END,
        paused_until = CASE WHEN ${mayBeRepaired} THEN NULL ELSE paused_until END,
        told_up_to = CASE WHEN told_up_to = ${query.parameter(skipped?.after)} AND ${VERSION} = ${query.parameter(skipped?.version)}
          THEN ${query.parameter(skipped?.upTo)} ELSE told_up_to END
      WHERE user_id = ${query.parameter(userId)} AND id = ${query.parameter(id)} AND ${IS_THERE}
        AND ${isExpected(VERSION, query.parameter(expected))} RETURNING id`,
    values: query.values,
  })
  return rows.length > 0
}

/** The previous secret also signs for `overlapMs`. Returns the end of that time, or null if the account has no such endpoint. */
export async function replaceSecret(
  db: Connection,
  userId: string,
  id: string,
  secret: Buffer,
  overlapMs: number,
): Promise<Date | null> {
  const [row] = await db.query<{ old_secret_until: Date }>({
    name: 'replace_webhook_secret',
    text: `-- replace_webhook_secret
      UPDATE webhook_endpoints
      SET secret = $3, old_secret = secret, old_secret_until = ${NOW} + $4 * interval '1 millisecond'
      WHERE user_id = $1 AND id = $2 AND ${IS_THERE} RETURNING old_secret_until`,
    values: [userId, id, secret, overlapMs],
  })
  return row?.old_secret_until ?? null
}

/**
 * Nothing more is sent to the endpoint. Retention removes the deliveries later (`retention/`). Returns false if the
 * account has no such endpoint, or if the endpoint has none of the expected versions.
 */
export async function deleteEndpoint(
  db: Connection,
  userId: string,
  id: string,
  expected: ExpectedVersions,
): Promise<boolean> {
  const rows = await db.query({
    name: 'delete_webhook_endpoint',
    text: `-- delete_webhook_endpoint
      UPDATE webhook_endpoints SET disabled = 'deleted'
      WHERE user_id = $1 AND id = $2 AND ${IS_THERE} AND ${isExpected(VERSION, '$3')} RETURNING id`,
    values: [userId, id, expected],
  })
  return rows.length > 0
}

/** All endpoints, including deleted ones, in the order of their ids. */
export async function listAllEndpoints(
  db: Connection,
  after: string,
  count: number,
): Promise<{ id: string; isDeleted: boolean }[]> {
  return db.query<{ id: string; isDeleted: boolean }>({
    name: 'list_all_webhook_endpoints',
    text: `-- list_all_webhook_endpoints
      SELECT id, disabled IS NOT DISTINCT FROM 'deleted' AS "isDeleted"
      FROM webhook_endpoints WHERE id > $1 ORDER BY id LIMIT $2`,
    values: [after, count],
    readOnly: true,
  })
}

/** Removes a deleted endpoint without deliveries. An attempt may be left: it was recorded while its delivery was removed. */
export async function removeEndpoint(db: Connection, id: string): Promise<void> {
  await db.query({
    name: 'remove_webhook_endpoint',
    text: `-- remove_webhook_endpoint
      WITH removed AS (
        DELETE FROM webhook_endpoints e WHERE id = $1 AND disabled = 'deleted'
          AND NOT EXISTS (SELECT FROM webhook_deliveries d WHERE d.endpoint_id = e.id)
        RETURNING id
      )
      DELETE FROM webhook_attempts a USING removed WHERE a.endpoint_id = removed.id`,
    values: [id],
  })
}
