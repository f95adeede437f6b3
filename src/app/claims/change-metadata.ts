import { createHash } from 'node:crypto'
import type { ClaimAddress, StoredClaim } from '../../domain/claims/claim.ts'
import {
  canonicalMetadata,
  changeMetadata,
  type Metadata,
  type MetadataChange,
  MOST_METADATA_KEYS,
} from '../../domain/metadata.ts'
import type { ExpectedVersions } from '../../domain/records.ts'
import { unavailable, validationError } from '../../errors.ts'
import { findNotedClaim, setMetadata } from '../../storage/claims/claim-metadata.ts'
import { isPassing } from '../../storage/database/database-unavailable.ts'
import { metadataColumns } from '../../storage/metadata.ts'
import type { App } from '../app.ts'
import { whyAbsent } from '../archive/absent-claim.ts'
import { changedSince } from '../changed-since.ts'

/** Each time somebody else was faster. */
const MOST_TRIES = 20

/**
 * Changes what is noted about a claim or a candidate, whatever its status: no decision looks at it. Of several changes at the
 * same time each is made of what the one before has left.
 * @throws CLAIM_NOT_FOUND, CANDIDATE_NOT_FOUND, CLAIM_ARCHIVED, PRECONDITION_FAILED, VALIDATION_ERROR if there would be too
 *   many keys, UNAVAILABLE if others change it all the time
 */
export async function changeMetadataOf(
  app: App,
  userId: string,
  address: ClaimAddress,
  change: MetadataChange,
  expected: ExpectedVersions,
): Promise<StoredClaim> {
  const db = app.db.writes.for(userId)
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    const claim = await findNotedClaim(db, userId, address)
    if (!claim) throw await whyAbsent(db, { userId, address })
    const metadata = JSON.parse(claim.metadata) as Metadata
    if (expected && !expected.includes(versionOfMetadata(metadata))) throw changedSince(address.kind)
    const changed = changeMetadata(metadata, change)
    if (!changed) throw tooManyKeys()
    const columns = metadataColumns(userId, address.kind, changed)
    try {
      if (await setMetadata(db, claim, columns)) return { ...claim, metadata: columns.metadata ?? '{}' }
    } catch (error) {
      // Within a transaction nothing more can be done: whoever holds that tries again.
      if (!isPassing(error)) throw error
      break
    }
  }
  throw unavailable('Others are changing it at the moment. Nothing was done.')
}

/** The version of all that callers can change of a claim: another after each change. */
export const versionOfMetadata = (metadata: Metadata): string =>
  createHash('sha256').update(canonicalMetadata(metadata)).digest('hex').slice(0, 32)

export const tooManyKeys = () =>
  validationError([
    {
      path: 'metadata',
      message: `must not have more than ${MOST_METADATA_KEYS} keys with those that it has`,
    },
  ])
