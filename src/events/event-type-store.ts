import { isOfKind, isOneOf } from '../claims/lists/claim-conditions.ts'
import { STATUSES } from '../core/claims/lifecycle.ts'
import { MAX_KNOWN_EVENT_TYPES } from '../core/limits.ts'
import type { KnownEventType } from '../core/records.ts'
import type { Connection } from '../platform/database/connection.ts'
import { plainArray } from '../platform/database/sql-array.ts'
import { SAMPLED_CLAIMS_PER_STATUS, SAMPLED_EVENTS_PER_CLAIM } from './limits.ts'

/** Ids of the newest claims and candidates in each status. */
export async function findNewestClaims(db: Connection, userId: string): Promise<string[]> {
  const newest = (['claim', 'candidate'] as const).flatMap((kind) =>
    STATUSES.map(
      (status) => `(SELECT id FROM claims WHERE user_id = $1 AND ${isOfKind(kind)} AND ${isOneOf([status])}
        ORDER BY position DESC LIMIT ${SAMPLED_CLAIMS_PER_STATUS})`,
    ),
  )
  const rows = await db.query<{ id: string }>({
    name: 'find_newest_claims',
    text: `-- find_newest_claims
      ${newest.join(' UNION ALL ')}`,
    values: [userId],
    readOnly: true,
  })
  return rows.map(({ id }) => id)
}

/** The types of the newest events of these claims, the most frequent first. */
export async function readEventTypes(db: Connection, ids: readonly string[]): Promise<KnownEventType[]> {
  const rows = await db.query<{ type: string; count: number; newest_at: Date }>({
    name: 'read_event_types',
    text: `-- read_event_types
      SELECT e.type, count(*)::int AS count, max(e.created_at) AS newest_at
      FROM claims c JOIN claim_events e ON e.claim_id = c.id AND e.seq > c.event_count - ${SAMPLED_EVENTS_PER_CLAIM}
      WHERE c.id = ANY ($1::uuid[]) AND NOT e.system
      GROUP BY e.type ORDER BY count DESC, e.type COLLATE "C" LIMIT ${MAX_KNOWN_EVENT_TYPES}`,
    values: [plainArray([...ids])],
    readOnly: true,
  })
  return rows.map(({ type, count, newest_at }) => ({ type, count, newestAt: newest_at }))
}
