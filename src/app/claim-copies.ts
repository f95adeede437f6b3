import { LRUCache } from 'lru-cache'
import type { Claim } from '../domain/claim.ts'
import { EventLog } from '../domain/event-log.ts'
import type { ClaimToDecide } from '../storage/claims-to-decide.ts'

/** A claim as far as decisions need it. It is the deciding one's own while it decides. */
export interface ClaimCopy {
  claim: Claim
  log: EventLog
  eventIds: Set<string>
  /** Estimated. */
  bytes: number
  /** Of these, how many count towards the bound. */
  countedBytes: number
}

/** Estimated bytes that all copies may take. */
const MOST_BYTES = 12 * 1024 * 1024
const COPY_BYTES = 1_000
/** A contract is held once for all claims under it, but a long one may well be a claim's own. */
const SHORT_CONTRACT = 2_000
const BYTES_A_CHARACTER = 16

/** What an event's id takes. */
export const idBytes = (id: string): number => 40 + 2 * id.length

/**
 * Copies of OPEN claims lately written by this server. A copy may be stale: only a write that is guarded by the
 * claim's version tells, so nothing may be answered from a copy but together with such a write.
 */
export class ClaimCopies {
  readonly #copies = new LRUCache<string, ClaimCopy>({
    maxSize: MOST_BYTES,
    sizeCalculation: ({ bytes }) => bytes,
  })

  get(claimId: string): ClaimCopy | undefined {
    return this.#copies.get(claimId)
  }

  keep(copy: ClaimCopy): void {
    const { id } = copy.claim
    // Its size is only looked at when it is new.
    if (copy.bytes > 1.2 * copy.countedBytes) {
      this.#copies.delete(id)
      copy.countedBytes = copy.bytes
    }
    this.#copies.set(id, copy)
  }

  forget(claimId: string): void {
    this.#copies.delete(claimId)
  }
}

export function copyOf({ claim, contractLength, eventIds, decisiveEvents }: ClaimToDecide): ClaimCopy {
  const contractBytes = contractLength > SHORT_CONTRACT ? contractLength * BYTES_A_CHARACTER : 0
  return {
    claim,
    log: new EventLog(claim.contract.fulfillment_condition, decisiveEvents),
    eventIds: new Set(eventIds),
    bytes: eventIds.reduce((sum, id) => sum + idBytes(id), COPY_BYTES + contractBytes),
    countedBytes: 0,
  }
}
