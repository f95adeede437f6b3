import type { ClaimAddress } from '../../core/claims/claim.ts'
import { STATUSES } from '../../core/claims/lifecycle.ts'
import type { Connection } from '../../platform/database/connection.ts'
import { FRESH, isOfKind, isOneOf } from './claim-conditions.ts'

/**
 * The first record of the list at this position or behind it. Null if there is none. The record that had the position
 * may be deleted.
 */
export async function findClaimFrom(
  db: Connection,
  userId: string,
  kind: ClaimAddress['kind'],
  position: string,
  order: 'asc' | 'desc',
): Promise<{ id: string; position: string; fresh: boolean } | null> {
  // The index begins with the status, so each status is read in order separately.
  const first = STATUSES.map(
    (status) => `(SELECT id, position, ${FRESH} FROM claims
        WHERE user_id = $1 AND ${isOfKind(kind)} AND ${isOneOf([status])} AND position ${order === 'asc' ? '>=' : '<='} $2
        ORDER BY position ${order} LIMIT 1)`,
  )
  const [row] = await db.query<{ id: string; position: string; fresh: boolean }>({
    text: `-- find_claim_from
      SELECT id, position, fresh FROM (${first.join(' UNION ALL ')}) AS first ORDER BY position ${order} LIMIT 1`,
    values: [userId, position],
    readOnly: true,
  })
  return row ?? null
}
