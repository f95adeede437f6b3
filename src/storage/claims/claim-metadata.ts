import type { ClaimAddress, StoredClaim } from '../../domain/claims/claim.ts'
import type { Connection } from '../database/connection.ts'
import { LONGEST_LOCK_WAIT } from '../lists/list-page.ts'
import { METADATA, type MetadataColumns, replacePairs } from '../metadata.ts'
import { CLAIM_COLUMNS_AS_STORED, type StoredClaimRow, toWholeClaim } from './claim-columns.ts'
import { addressColumns } from './claims.ts'

/** The claim without its log; null if the account has none at this address. @throws UNAVAILABLE if its contract is missing */
export async function findNotedClaim(
  db: Connection,
  userId: string,
  address: ClaimAddress,
): Promise<StoredClaim | null> {
  const { id, alias } = addressColumns(address)
  const [row] = await db.query<StoredClaimRow & { metadata: string }>({
    name: 'find_noted_claim',
    text: `-- find_noted_claim
      SELECT ${CLAIM_COLUMNS_AS_STORED}, ${METADATA} AS metadata FROM claims
      WHERE id = $1 AND user_id = $2 AND candidate_alias IS NOT DISTINCT FROM $3`,
    values: [id, userId, alias],
    readOnly: true,
  })
  return row ? { ...toWholeClaim(row), metadata: row.metadata } : null
}

/**
 * Sets the claim's metadata if it is as it was seen; false if it is not, or the claim is gone. It touches nothing that
 * decisions look at, nor what guards their writes. Whoever holds the claim is not waited for long (`isPassing`).
 */
export function setMetadata(
  db: Connection,
  { id, userId, metadata: seen }: StoredClaim,
  { metadata, pairs }: MetadataColumns,
): Promise<boolean> {
  return db.transaction(async (connection) => {
    // SET LOCAL reaches the machine that has the claim.
    await connection.query({ text: `SET LOCAL lock_timeout = '${LONGEST_LOCK_WAIT}'` })
    const [row] = await connection.query<{ position: string }>({
      name: 'set_metadata',
      text: `-- set_metadata
        UPDATE claims SET metadata = $2::jsonb WHERE id = $1 AND coalesce(metadata, '{}') = $3::jsonb RETURNING position`,
      values: [id, metadata, seen],
    })
    if (row) await replacePairs(connection, 'claims', { userId, position: row.position, id }, pairs)
    return row !== undefined
  })
}
