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

/** What an account has asked for. */
interface Asked {
  userId: string
  address: ClaimAddress
}

/** Says of a claim that was looked for and not found why that is: 404, or 410 if it was archived. */
export async function whyAbsent(db: Connection, asked: Asked): Promise<ServiceError> {
  const tell = await whyAllAbsent(db, [asked.address])
  return tell(asked)
}

/** The same of several. */
export async function whyAllAbsent(
  db: Connection,
  addresses: readonly ClaimAddress[],
): Promise<(asked: Asked) => ServiceError> {
  const found = await findArchivedClaims(db, addresses.map(claimIdOf))
  const archived = new Map(found.map((claim) => [claim.id, claim]))
  const fileIds = new Set(found.map(({ fileId }) => fileId))
  const files = fileIds.size === 0 ? [] : await findArchiveFiles(db, [...fileIds])
  const fileOf = new Map(files.map((file) => [file.id, file]))
  return ({ userId, address }) => {
    const claim = archived.get(claimIdOf(address))
    const isTheirs = claim?.userId === userId && claim.isCandidate === (address.kind === 'candidate')
    if (!claim || !isTheirs) return claimNotFound(address)
    if (claim.restoredAt !== null)
      return unavailable(`The ${address.kind} was restored from the archive just now.`)
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
