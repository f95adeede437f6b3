import { Distribution } from './source/database.ts'

/**
 * Over shards that begin with these hashes.
 * @param machines of each; by default one has them all
 */
export function distributionOver(lowest: readonly number[], machines: readonly number[] = []): Distribution {
  return new Distribution(lowest.map((hash, i) => ({ lowest: hash, id: `${i}`, node: machines[i] ?? 1 })))
}
