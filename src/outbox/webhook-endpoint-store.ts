import { EVENT_TYPES, type NotificationType } from '../core/notification-types.ts'
import type { WebhookEndpoint } from '../core/webhooks.ts'
import type { Connection } from '../platform/database/connection.ts'

/* Reads webhook endpoints. Settings and delivery are in `src/webhooks/`. */

export interface EndpointRow {
  id: string
  user_id: string
  created_at: Date
  url: string
  types: NotificationType[] | null
  customer_id: string | null
  description: string | null
  disabled: WebhookEndpoint['disabled']
  last_number: string
  last_hash: string
  failing_since: Date | null
  paused_until: Date | null
}

export const ENDPOINT_COLUMNS = `id, user_id, created_at, url, types, customer_id, description, disabled, last_number, last_hash,
        failing_since, paused_until`

/** SQL: whether an endpoint is not deleted. Rows of deleted endpoints are removed later (`retention/`). @param endpoint its alias */
export const isThere = (endpoint: string): string => `${endpoint}.disabled IS DISTINCT FROM 'deleted'`

export const toEndpoint = (row: EndpointRow): WebhookEndpoint => ({
  id: row.id,
  userId: row.user_id,
  createdAt: row.created_at,
  url: row.url,
  types: row.types,
  customerId: row.customer_id,
  description: row.description,
  disabled: row.disabled,
  last: { number: Number(row.last_number), hash: row.last_hash },
  failingSince: row.failing_since,
  pausedUntil: row.paused_until,
})

/** The existing endpoints among these, by id. */
export async function findEndpoints(
  db: Connection,
  userId: string,
  ids: readonly string[],
): Promise<Map<string, WebhookEndpoint>> {
  if (ids.length === 0) return new Map()
  const rows = await db.query<EndpointRow>({
    name: 'find_webhook_endpoints',
    text: `-- find_webhook_endpoints
      SELECT ${ENDPOINT_COLUMNS} FROM webhook_endpoints WHERE user_id = $1 AND id = ANY ($2::uuid[]) AND ${isThere('webhook_endpoints')}`,
    values: [userId, ids],
    readOnly: true,
  })
  return new Map(rows.map((row) => [row.id, toEndpoint(row)]))
}

/** Of endpoints of webhooks; the index `webhook_endpoints_for_events` has the same. */
const NAMES_EVENTS = `w.types && '{${EVENT_TYPES.join(',')}}'::text[] AND ${isThere('w')}`

/** SQL: whether the account gets event notifications. OFFSET makes the planner look the account up instead of reading all. */
export const hasEventNotifications = (userId: string): string =>
  `(EXISTS (SELECT FROM notification_settings s WHERE s.user_id = ${userId} AND s.event_recorded OFFSET 0)
          OR EXISTS (SELECT FROM webhook_endpoints w WHERE w.user_id = ${userId} AND ${NAMES_EVENTS} OFFSET 0))`
