import type { Claim } from '../../../domain/claims/claim.ts'
import { EventLog } from '../../../domain/claims/event-log.ts'
import { logOf } from '../../../domain/claims/log-digest.ts'
import type { ClaimToDecide } from '../../../storage/claims/claims-to-decide.ts'
import { countOf, hashesOf, type IdHashes, isHashIn, textOf } from './id-hashes.ts'

/** Estimated, and rather too high. */
const COPY_BYTES = 900
const HASH_BYTES = 5

/** A claim as far as decisions need it. Ten thousands are held. */
export interface ClaimCopy {
  claim: Claim
  log: EventLog
  /** False: good for what needs no log only. */
  isWhole: boolean
  /** The last time in its log, or when it entered its status. */
  lastAt: Date
  /** Of the ids of all events. */
  idHashes: IdHashes
  /** Of memory, estimated: how many count towards the bound. */
  countedBytes: number
  /** Of its contract, which it may share with others. */
  contractBytes: number
}

export function copyOf(read: ClaimToDecide): ClaimCopy {
  const { claim, contractBytes, isWhole, lastAt, digest, eventIds, decisiveEvents } = read
  const condition = claim.contract.fulfillment_condition
  return {
    claim: copyOfClaim(claim),
    log: digest ? logOf(condition, digest) : EventLog.of(condition, decisiveEvents),
    isWhole,
    lastAt,
    idHashes: digest ? textOf(digest.idHashes) : hashesOf(eventIds),
    countedBytes: 0,
    contractBytes,
  }
}

/** Several drafts may be made of one read. With its fields by name, since V8 gives a spread of as many a second object. */
const copyOfClaim = (claim: Claim): Claim => ({
  id: claim.id,
  userId: claim.userId,
  customerId: claim.customerId,
  reference: claim.reference,
  candidateAlias: claim.candidateAlias,
  customerExternalId: claim.customerExternalId,
  contract: claim.contract,
  schemaId: claim.schemaId,
  schemaVersion: claim.schemaVersion,
  testClockId: claim.testClockId,
  createdAt: claim.createdAt,
  eventCount: claim.eventCount,
  logBytes: claim.logBytes,
  status: claim.status,
  scheduledOutcome: claim.scheduledOutcome,
  statusSince: claim.statusSince,
  dueAt: claim.dueAt,
})

/** Of memory, estimated, without its contract. */
export const bytesOf = ({ claim, idHashes }: ClaimCopy): number =>
  COPY_BYTES + bytesOfNames(claim) + HASH_BYTES * countOf(idHashes)

/** Of those that callers have chosen, at two bytes a character. */
const bytesOfNames = ({ reference, candidateAlias, customerExternalId }: Claim): number =>
  2 * ((reference?.length ?? 0) + (candidateAlias?.length ?? 0) + (customerExternalId?.length ?? 0))

/** Whether the log may hold an event with this id. A no is certain; a yes is to be looked up. */
export const mayHold = (copy: ClaimCopy, id: string): boolean => isHashIn(copy.idHashes, id)

export function addIds(copy: ClaimCopy, ids: Iterable<string>): void {
  copy.idHashes += hashesOf(ids)
}
