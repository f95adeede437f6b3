import type { Distribution } from '../../src/platform/database/citus/distribution.ts'
import { type ClaimPick, claimId } from '../load/submissions.ts'

/**
 * Over which claims submissions go: any, again and again; those of one shard; each batch over those of one shard, with
 * another shard for the next; or each claim once.
 */
export type Spread = 'all' | 'once' | { shard: number; of: Distribution } | { eachOf: Distribution }

/** The numbers of some claims of the set. */
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

/** Batches that touch each of these claims, of one shard each: claims that the server then has in its memory. */
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
