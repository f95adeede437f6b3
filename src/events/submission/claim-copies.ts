import { LRUCache } from 'lru-cache'
import type { ClaimToDecide } from '../../claims/claims-to-decide.ts'
import type { Claim } from '../../core/claims/claim.ts'
import { EventLog } from '../../core/claims/event-log.ts'
import { hashOfId, logOf } from '../../core/claims/log-digest.ts'
import type { Contract } from '../../core/contracts/contract.ts'

/** A claim as far as decisions need it. */
export interface ClaimCopy {
  claim: Claim
  log: EventLog
  /** False: good for what needs no log only. */
  isWhole: boolean
  /** The last time in its log, or when it entered its status. */
  lastAt: Date
  /** Of the ids of all events, one each. */
  idHashes: number[]
  /** Estimated, without its contract and the leaves that are satisfied. */
  bytes: number
  /** Of these, how many count towards the bound. */
  countedBytes: number
  /** Of its contract, which it may share with others. */
  contractBytes: number
}

/** Estimated bytes that all copies and their contracts may take. */
const MOST_BYTES = 14 * 1024 * 1024
const COPY_BYTES = 1_200

/** Of one hash, with what an array that grows has to spare. */
const HASH_BYTES = 12
const SHORT_HASHES = 32
/** Of a leaf that is satisfied: half of a set may be empty. */
const LEAF_BYTES = 40

/**
 * Copies of OPEN claims lately written by this server. A copy may be stale: only a write that is guarded by the
 * claim's version tells, so nothing may be answered from a copy but together with such a write.
 */
export class ClaimCopies {
  readonly #copies = new LRUCache<string, ClaimCopy>({
    maxSize: MOST_BYTES,
    sizeCalculation: ({ countedBytes }) => countedBytes,
    onInsert: (copy, _id, reason) => reason !== 'update' && this.#hold(copy),
    dispose: (copy) => this.#release(copy),
  })
  /** How many copies are under each contract: it is counted once for all of them. */
  readonly #copiesUnder = new Map<Contract, number>()
  #contractBytes = 0

  get(claimId: string): ClaimCopy | undefined {
    return this.#copies.get(claimId)
  }

  /** Of what was read and not written to: somebody else may have written meanwhile. */
  keepIfNewer(copy: ClaimCopy): void {
    const kept = this.#copies.get(copy.claim.id)
    if (copy.isWhole && !(kept && kept.claim.eventCount > copy.claim.eventCount)) this.keep(copy)
  }

  keep(copy: ClaimCopy): void {
    const { id } = copy.claim
    // Its size is only looked at when it is new.
    const bytes = copy.bytes + LEAF_BYTES * copy.log.satisfiedCount
    if (bytes > 1.2 * copy.countedBytes) {
      this.#copies.delete(id)
      copy.countedBytes = bytes
    }
    this.#copies.set(id, copy)
    while (this.#copies.calculatedSize + this.#contractBytes > MOST_BYTES) this.#copies.pop()
  }

  forget(claimId: string): void {
    this.#copies.delete(claimId)
  }

  #hold({ claim: { contract }, contractBytes }: ClaimCopy): void {
    const copies = this.#copiesUnder.get(contract) ?? 0
    this.#copiesUnder.set(contract, copies + 1)
    if (copies === 0) this.#contractBytes += contractBytes
  }

  #release({ claim: { contract }, contractBytes }: ClaimCopy): void {
    const left = (this.#copiesUnder.get(contract) ?? 1) - 1
    if (left > 0) this.#copiesUnder.set(contract, left)
    else if (this.#copiesUnder.delete(contract)) this.#contractBytes -= contractBytes
  }
}

export function copyOf({
  claim,
  contractBytes,
  isWhole,
  lastAt,
  digest,
  eventIds,
  decisiveEvents,
}: ClaimToDecide): ClaimCopy {
  const condition = claim.contract.fulfillment_condition
  const idHashes = digest ? [...digest.idHashes] : eventIds.map(hashOfId)
  return {
    // Several drafts may be made of one read.
    claim: { ...claim },
    log: digest ? logOf(condition, digest) : EventLog.of(condition, decisiveEvents),
    isWhole,
    lastAt,
    idHashes,
    bytes: COPY_BYTES + bytesOfNames(claim) + HASH_BYTES * idHashes.length,
    countedBytes: 0,
    contractBytes,
  }
}

/** Of those that callers have chosen, at two bytes a character. */
const bytesOfNames = ({ reference, candidateAlias, customerExternalId }: Claim): number =>
  2 * [reference, candidateAlias, customerExternalId].reduce((sum, name) => sum + (name?.length ?? 0), 0)

/** Whether the log may hold an event with this id. A no is certain; a yes is to be looked up. */
export const mayHold = (copy: ClaimCopy, id: string): boolean => copy.idHashes.includes(hashOfId(id))

export function addIds(copy: ClaimCopy, ids: readonly string[]): void {
  const hashes = ids.map(hashOfId)
  // An array that grows has room for sixteen more: as long as it is short it is made anew.
  if (copy.idHashes.length < SHORT_HASHES) copy.idHashes = copy.idHashes.concat(hashes)
  else for (const hash of hashes) copy.idHashes.push(hash)
  copy.bytes += HASH_BYTES * hashes.length
}
