import { createHash } from 'node:crypto'
import type { ClaimAddress, ClaimWithMetadata, StoredClaim } from '../core/claims/claim.ts'
import { changedMetadata, changedSince } from '../core/record-errors.ts'
import type { ExpectedVersions } from '../core/records.ts'
import { canonicalMetadata, type Metadata, type MetadataChange } from '../kernel/metadata.ts'
import type { Context } from '../platform/database/context.ts'
import { absenceError } from './archived/absent-claim.ts'
import { changeClaimMetadata } from './claim-metadata-store.ts'

/**
 * Changes the metadata of a claim or a candidate in any status. No decision reads metadata. Concurrent changes are
 * applied one after the other.
 * @throws CLAIM_NOT_FOUND, CANDIDATE_NOT_FOUND, CLAIM_ARCHIVED, PRECONDITION_FAILED, VALIDATION_ERROR if there would
 *   be too many keys, UNAVAILABLE if another transaction holds the claim for long
 */
export async function changeMetadataOf(
  { userId, write: db }: Context,
  address: ClaimAddress,
  change: MetadataChange,
  expected: ExpectedVersions,
): Promise<StoredClaim> {
  const claim = await changeClaimMetadata(db, userId, address, (metadata, testClockId) => {
    if (expected && !expected.includes(versionOfMetadata({ testClockId, metadata })))
      throw changedSince(address.kind)
    return changedMetadata(metadata, change)
  })
  if (!claim) throw await absenceError(db, { userId, address })
  return claim
}

/**
 * The version of everything that callers can change. It differs after each change. It also differs for a new claim
 * under the alias or reference of a claim that was deleted with its test clock.
 */
export function versionOfMetadata({ testClockId, metadata }: Changeable): string {
  const isDefault = testClockId === null && Object.keys(metadata).length === 0
  return isDefault ? DEFAULT_VERSION : digestOf(testClockId ?? '', metadata)
}

type Changeable = Pick<ClaimWithMetadata, 'testClockId' | 'metadata'>

function digestOf(clock: string, metadata: Metadata): string {
  const digest = createHash('sha256').update(clock).update(canonicalMetadata(metadata))
  return digest.digest('hex').slice(0, 32)
}

/** The version of live claims without metadata, computed once. */
const DEFAULT_VERSION = digestOf('', {})
