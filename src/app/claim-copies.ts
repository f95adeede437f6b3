import { LRUCache } from 'lru-cache'
import type { Claim } from '../domain/claim.ts'
import { EventLog } from '../domain/event-log.ts'
import type { ClaimToDecide } from '../storage/claims-to-decide.ts'

/** A claim as far as decisions need it. It is the deciding one's own while it decides. */
export interface ClaimCopy {
  claim: Claim
  log: EventLog
  eventIds: Set<string>
}

/** Estimated bytes that all copies may take. */
const MOST_BYTES = 12 * 1024 * 1024
const COPY_BYTES = 1_000
const EVENT_ID_BYTES = 60

/**
 * Copies of OPEN claims lately written by this server. A copy may be stale: only a write that is guarded by the
 * claim's version tells, so nothing may be answered from a copy but together with such a write.
 */
export class ClaimCopies {
  readonly #copies = new LRUCache<string, ClaimCopy>({
    maxSize: MOST_BYTES,
    sizeCalculation: ({ eventIds }) => COPY_BYTES + EVENT_ID_BYTES * eventIds.size,
  })

  get(claimId: string): ClaimCopy | undefined {
    return this.#copies.get(claimId)
  }

  keep(copy: ClaimCopy): void {
    this.#copies.set(copy.claim.id, copy)
  }

  forget(claimId: string): void {
    this.#copies.delete(claimId)
  }
}

export function copyOf({ claim, eventIds, decisiveEvents }: ClaimToDecide): ClaimCopy {
  return {
    claim,
    log: new EventLog(claim.contract.fulfillment_condition, decisiveEvents),
    eventIds: new Set(eventIds),
  }
}
