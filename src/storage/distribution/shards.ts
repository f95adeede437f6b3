import { uuidHash } from './uuid-hash.ts'

/** A part of the claims: Citus's numbers of its own tables, and the lowest hash of an id in it. */
export interface Shard {
  lowest: number
  claims: string
  claim_events: string
  notifications: string
  /** Its copy on each machine. */
  contracts: string
}

/** In which of the shards that have these lowest hashes, in their order, a claim is. */
export function placeOf(claimId: string, lowest: readonly number[]): number {
  const hash = uuidHash(claimId)
  let [from, to] = [0, lowest.length]
  while (to - from > 1) {
    const middle = (from + to) >>> 1
    if ((lowest[middle] as number) <= hash) from = middle
    else to = middle
  }
  return from
}
