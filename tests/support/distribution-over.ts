import { Distribution } from './source/database.ts'

/**
 * A distribution of shards that begin at these hashes.
 * @param machines node of each shard; default: one node
 */
export function distributionOver(lowest: readonly number[], machines: readonly number[] = []): Distribution {
  return new Distribution(lowest.map((hash, i) => ({ lowest: hash, id: `${i}`, node: machines[i] ?? 1 })))
}
