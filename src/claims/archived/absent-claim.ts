import type { ClaimAddress } from '../../core/claims/claim.ts'
import { claimNotFound } from '../../core/record-errors.ts'
import { ServiceError, unavailable } from '../../kernel/errors.ts'
import type { Connection } from '../../platform/database/connection.ts'
import { claimIdOf } from '../claim-ids.ts'
import {
  type ArchivedClaim,
  type ArchiveFile,
  findArchivedClaims,
  findArchiveFiles,
} from './archived-claim-store.ts'

/** A claim that an account requested. */
interface Requested {
  userId: string
  address: ClaimAddress
}

/** The error for a claim that was not found: 404, or 410 if it was archived. */
export async function absenceError(db: Connection, requested: Requested): Promise<ServiceError> {
  const errorOf = await absenceErrors(db, [requested.address])
  return errorOf(requested)
}

/** The errors for several claims. */
export async function absenceErrors(
  db: Connection,
  addresses: readonly ClaimAddress[],
): Promise<(requested: Requested) => ServiceError> {
  const found = await findArchivedClaims(db, addresses.map(claimIdOf))
  const archived = new Map(found.map((claim) => [claim.id, claim]))
  const fileIds = new Set(found.map(({ fileId }) => fileId))
  const files = fileIds.size === 0 ? [] : await findArchiveFiles(db, [...fileIds])
  const fileOf = new Map(files.map((file) => [file.id, file]))
  return ({ userId, address }) => {
    const claim = archived.get(claimIdOf(address))
    const isOfAccount = claim?.userId === userId && claim.isCandidate === (address.kind === 'candidate')
    if (!claim || !isOfAccount) return claimNotFound(address)
    if (claim.restoredAt !== null)
      return unavailable(`The ${address.kind} was just restored from the archive. Send the request again.`)
    return isArchived(address, claim, fileOf.get(claim.fileId))
  }
}

function isArchived(address: ClaimAddress, { archivedAt }: ArchivedClaim, file: ArchiveFile | undefined) {
  const name = address.kind === 'claim' ? address.id : JSON.stringify(address.alias)
  return new ServiceError(
    'CLAIM_ARCHIVED',
    `The ${address.kind} ${name} was archived at ${archivedAt.toISOString()}: it is in the file ${file?.path} of the archive.`,
  )
}
