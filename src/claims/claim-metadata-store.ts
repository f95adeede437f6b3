import type { ClaimAddress, StoredClaim } from '../core/claims/claim.ts'
import type { Metadata } from '../kernel/metadata.ts'
import type { Connection } from '../platform/database/connection.ts'
import { holdBriefly, METADATA, metadataColumns, replacePairs } from '../platform/database/metadata.ts'
import { CLAIM_COLUMNS_AS_STORED, type StoredClaimRow, toWholeClaim } from './claim-columns.ts'
import { addressColumns } from './claim-store.ts'

/**
 * Changes the metadata of a claim. Locks the row, so each change starts from the result of the previous one. Changes nothing
 * that decisions read, and nothing that guards their writes. The wait for a lock of the claim or its test clock is short
 * (`isTransient`).
 * @param change returns the new state; if it throws, nothing changes
 * @returns the claim with that, without its log; null if the account has none at this address
 * @throws UNAVAILABLE if its contract is missing
 */
export function changeClaimMetadata(
  db: Connection,
  userId: string,
  address: ClaimAddress,
  change: (metadata: Metadata, testClockId: string | null) => Metadata,
): Promise<StoredClaim | null> {
  const { id, alias } = addressColumns(address)
  return db.transaction(async (connection) => {
    await holdBriefly(connection)
    const [seen] = await connection.query<{ test_clock_id: string | null }>({
      name: 'find_clock_of_claim',
      text: `-- find_clock_of_claim
        SELECT test_clock_id FROM claims WHERE id = $1 AND user_id = $2 AND candidate_alias IS NOT DISTINCT FROM $3`,
      values: [id, userId, alias],
    })
    if (!seen) return null
    if (seen.test_clock_id !== null) await shareClock(connection, userId, seen.test_clock_id)
    const [held] = await connection.query<{ position: string; metadata: Metadata | null }>({
      name: 'hold_claim',
      text: `-- hold_claim
        SELECT position, metadata FROM claims
        WHERE id = $1 AND test_clock_id IS NOT DISTINCT FROM $2 FOR NO KEY UPDATE`,
      values: [id, seen.test_clock_id],
    })
    // Null also if the claim was deleted with its clock, even if another claim has its id now.
    if (!held) return null
    const metadata = change(held.metadata ?? {}, seen.test_clock_id)
    const columns = metadataColumns(userId, address.kind, metadata)
    await connection.query({
      name: 'set_metadata',
      text: `-- set_metadata
        UPDATE claims SET metadata = $2::jsonb WHERE id = $1`,
      values: [id, columns.metadata],
    })
    await replacePairs(connection, 'claims', { userId, position: held.position, id }, columns.pairs)
    const [row] = await connection.query<StoredClaimRow & { metadata: string }>({
      name: 'read_noted_claim',
      text: `-- read_noted_claim
        SELECT ${CLAIM_COLUMNS_AS_STORED}, ${METADATA} AS metadata FROM claims WHERE id = $1`,
      values: [id],
    })
    return row ? { ...toWholeClaim(row), metadata: row.metadata } : null
  })
}

/** Locks the clock for share: it cannot be advanced or deleted until the transaction ends. */
const shareClock = (db: Connection, userId: string, id: string) =>
  db.query({
    name: 'share_test_clock',
    text: `-- share_test_clock
      SELECT FROM test_clocks WHERE user_id = $1 AND id = $2 FOR SHARE`,
    values: [userId, id],
  })
