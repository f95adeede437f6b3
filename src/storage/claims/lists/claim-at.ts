import type { ClaimAddress } from '../../../domain/claims/claim.ts'
import { STATUSES } from '../../../domain/claims/lifecycle.ts'
import type { Connection } from '../../database/connection.ts'
import { FRESH, isOfKind, isOneOf } from './claim-conditions.ts'

/** The record at this position of the list; null if it is there no more. */
export async function findClaimAt(
  db: Connection,
  userId: string,
  kind: ClaimAddress['kind'],
  position: string,
): Promise<{ id: string; fresh: boolean } | null> {
  const [row] = await db.query<{ id: string; fresh: boolean }>({
    text: `-- find_claim_at
      SELECT id, ${FRESH} FROM claims
      WHERE user_id = $1 AND ${isOfKind(kind)} AND ${isOneOf(STATUSES)} AND position = $2`,
    values: [userId, position],
    readOnly: true,
  })
  return row ?? null
}
