import type { Connection } from '../platform/database/connection.ts'
import { REMOVAL_BATCH_SIZE } from './limits.ts'

/** All endpoints, deleted ones as well, in the order of their ids. */
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

/**
 * Removes an endpoint's oldest deliveries with their attempts, a batch at most: those of before this time, or any if there is
 * none. Returns how many went.
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

/** A deleted endpoint of which no delivery is left. An attempt may be: it was written down while its delivery was removed. */
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
