import type { Distribution } from '../../src/platform/database/citus/distribution.ts'
import { type ClaimPick, claimId } from '../load/submissions.ts'

/**
 * The claims of submissions: any claim, repeatedly; each claim once; claims of one shard; or each batch to claims of one
 * shard, with another shard for the next batch.
 */
export type Spread = 'all' | 'once' | { shard: number; of: Distribution } | { eachOf: Distribution }

/** The numbers of the first `claims` matching claims of the set. */
export function numbersOf(spread: Spread, set: number, claims: number): number[] {
  const numbers: number[] = []
  for (let number = 1; numbers.length < claims; number++) {
    if (isWithin(spread, claimId(set, number))) numbers.push(number)
  }
  return numbers
}

const isWithin = (spread: Spread, id: string): boolean =>
  typeof spread === 'string' || !('shard' in spread) || spread.of.shardOf(id) === spread.shard

export function pickOf(spread: Spread, set: number, numbers: readonly number[], batch: number): ClaimPick {
  const pick = { set, claims: numbers.at(-1) as number }
  if (spread === 'all') return { ...pick, walk: 'random' }
  if (spread === 'once') return { ...pick, walk: { slice: 0, slices: 1 } }
  const groups = 'shard' in spread ? [numbers] : groupsOf(spread.eachOf, set, numbers)
  return { ...pick, walk: 'random', only: { groups, each: batch } }
}

/** Batches of one shard each that touch each claim, so that the server has the claims in memory. */
export function touchOf(
  distribution: Distribution,
  set: number,
  numbers: readonly number[],
  batch: number,
): { pick: ClaimPick; requests: number } {
  const groups = groupsOf(distribution, set, numbers)
  const longest = Math.max(...groups.map(({ length }) => length))
  const walk = { slice: 0, slices: 1 }
  return {
    pick: { set, claims: numbers.at(-1) as number, walk, only: { groups, each: batch } },
    requests: Math.ceil(longest / batch) * groups.length,
  }
}

function groupsOf(distribution: Distribution, set: number, numbers: readonly number[]): number[][] {
  return Map.groupBy(numbers, (number) => distribution.shardOf(claimId(set, number)))
    .values()
    .toArray()
}
