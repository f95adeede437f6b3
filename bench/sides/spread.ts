import type { Distribution } from '../../src/storage/distribution/distribution.ts'
import { type ClaimPick, claimId } from '../load/submissions.ts'

/**
 * Over which claims submissions go: any, those of one shard, or each batch over those of one shard, with another shard
 * for the next.
 */
export type Spread = 'all' | { shard: number; of: Distribution } | { eachOf: Distribution }

/** The numbers of so many claims of the set. */
export function numbersOf(spread: Spread, set: number, claims: number): number[] {
  const numbers: number[] = []
  for (let number = 1; numbers.length < claims; number++) {
    if (isWithin(spread, claimId(set, number))) numbers.push(number)
  }
  return numbers
}

export function pickOf(spread: Spread, set: number, numbers: readonly number[], batch: number): ClaimPick {
  const pick: ClaimPick = { set, claims: numbers.at(-1) as number, walk: 'random' }
  if (spread === 'all') return pick
  return { ...pick, only: { groups: groupsOf(spread, set, numbers), each: batch } }
}

const isWithin = (spread: Spread, id: string): boolean =>
  spread === 'all' || !('shard' in spread) || spread.of.shardOf(id) === spread.shard

function groupsOf(spread: Exclude<Spread, 'all'>, set: number, numbers: readonly number[]): number[][] {
  if ('shard' in spread) return [[...numbers]]
  return Map.groupBy(numbers, (number) => spread.eachOf.shardOf(claimId(set, number)))
    .values()
    .toArray()
}
