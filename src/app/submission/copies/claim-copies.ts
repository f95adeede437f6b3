import { LRUCache } from 'lru-cache'
import type { Claim } from '../../../domain/claims/claim.ts'
import type { Contract } from '../../../domain/contract/contract.ts'
import { bytesOf, type ClaimCopy } from './claim-copy.ts'

/** Estimated bytes that all copies and their contracts may take. */
const MOST_BYTES = 10 * 1024 * 1024

const OFTEN_THE_SAME = ['userId', 'customerId', 'schemaId', 'testClockId', 'status'] as const

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
  /** The one that came last: the next is often of the same account. */
  #last: Claim | null = null
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
    if (this.#copies.peek(id) !== copy) this.#shareWhatIsTheSame(copy)
    const bytes = bytesOf(copy)
    // Its size is only looked at when it is new.
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

  /** The database's answer has it anew for each claim, and thousands would hold it as often. */
  #shareWhatIsTheSame(copy: ClaimCopy): void {
    const { claim } = copy
    const { createdAt } = claim
    if (+claim.statusSince === +createdAt) claim.statusSince = createdAt
    if (+copy.lastAt === +createdAt) copy.lastAt = createdAt
    if (this.#last) for (const key of OFTEN_THE_SAME) share(claim, this.#last, key)
    this.#last = claim
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

function share<Key extends keyof Claim>(one: Claim, other: Claim, key: Key): void {
  if (one[key] === other[key]) one[key] = other[key]
}
