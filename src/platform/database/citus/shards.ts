import { uuidHash } from './uuid-hash.ts'

/** A part of the claims. */
export interface Shard {
  /** The lowest hash of an id in it. */
  lowest: number
  /** Citus's number of it, as a part of `claims`. */
  id: string
  /** On which it is, by Citus's number. */
  machine: number
}

/** What belongs to claims of one shard. */
export interface OfShard<T> {
  shard: Shard
  /** Any of them. */
  claimId: string
  items: T[]
}

/** In which of the shards that have these lowest hashes, in their order, a claim is. */
export const placeOf = (claimId: string, lowest: readonly number[]): number =>
  placeOfHash(uuidHash(claimId), lowest)

export function placeOfHash(hash: number, lowest: readonly number[]): number {
  let [from, to] = [0, lowest.length]
  while (to - from > 1) {
    const middle = (from + to) >>> 1
    if ((lowest[middle] as number) <= hash) from = middle
    else to = middle
  }
  return from
}

/** Groups what belongs to claims by the place of their shards, which come in their order. */
export function byPlace<T>(
  items: readonly T[],
  claimIdOf: (item: T) => string,
  lowest: readonly number[],
): [place: number, ofShard: T[]][] {
  const places = Map.groupBy(items, (item) => placeOf(claimIdOf(item), lowest))
  return [...places].sort(([a], [b]) => a - b)
}
