import { v7 as uuidv7 } from 'uuid'
import { NODE_DOWN_MS, NODE_LOSS_WINDOW_MS, NODE_PROBE_MS, SHARD_ROTATION_MS } from '../limits.ts'
import { uuidHash, uuidWithHashIn } from './uuid-hash.ts'

/** Times by performance.now(). */
interface Downtime {
  since: number
  /** The node counts as down until then. */
  until: number
}

/**
 * Maps claims to shards and nodes of Citus. A claim's shard follows from a hash of its id. A commit on several nodes takes two phases
 * and costs ten times as much as a commit on one, so statements are grouped by node. On one PostgreSQL there is one shard on one
 * node, and no statement depends on them.
 */
export class Distribution {
  /**
   * The lowest hash of each shard at the start. The index of a shard here is its number, which stays the same if the shard is split
   * later.
   */
  readonly #lowest: readonly number[]
  /** The current shards, as last read: shards move and are split. */
  #current: readonly Shard[]
  #currentLowest: readonly number[]
  /** A statement did not find its shard: the shards must be read again before the next write. */
  isStale = false
  #newest = { shard: 0, until: 0 }
  #nodeLostAt = -Infinity
  readonly #down = new Map<number, Downtime>()

  /** @param shards in the order of their hashes; empty if the tables are not distributed */
  constructor(shards: readonly Shard[] = []) {
    this.#current = shards
    this.#lowest = shards.map(({ lowest }) => lowest)
    this.#currentLowest = this.#lowest
  }

  get isOn(): boolean {
    return this.#lowest.length > 0
  }

  /** The number of shards. */
  get shards(): number {
    return this.isOn ? this.#lowest.length : 1
  }

  /** The number of nodes that have shards. */
  get nodes(): number {
    return this.isOn ? new Set(this.#current.map(({ node }) => node)).size : 1
  }

  /** The numbers of all shards in ascending order, rotated to a random start. */
  allShards(): number[] {
    const first = Math.floor(Math.random() * this.shards)
    return Array.from({ length: this.shards }, (_, i) => (first + i) % this.shards)
  }

  /** The number of the claim's shard, from 0 on. */
  shardOf(claimId: string): number {
    return this.isOn ? indexOf(claimId, this.#lowest) : 0
  }

  /** The claim's node, for grouping. Citus itself decides where a statement runs. */
  nodeOf(claimId: string): number {
    return this.isOn ? (this.#current[indexOf(claimId, this.#currentLowest)] as Shard).node : 0
  }

  /** Groups items by the shards of their claims, in the order of the shards: all writers lock rows in the same order. */
  byShard<T>(items: readonly T[], claimIdOf: (item: T) => string): T[][] {
    return byIndex(items, claimIdOf, this.#lowest).map(([, shardItems]) => shardItems)
  }

  /** The same by the current nodes, and within a node by its current shards. All writers lock rows in the order of the nodes. */
  byNodeAndShard<T>(items: readonly T[], claimIdOf: (item: T) => string): OfShard<T>[][] {
    const shards = byIndex(items, claimIdOf, this.#currentLowest).map(([index, items]) => ({
      shard: this.#current[index] as Shard,
      claimId: claimIdOf(items[0] as T),
      items,
    }))
    const nodes = Map.groupBy(shards, ({ shard }) => shard.node)
    return [...nodes].sort(([a], [b]) => a - b).map(([, nodeItems]) => nodeItems)
  }

  /** The same by nodes only; on one PostgreSQL a single group. */
  byNode<T>(items: readonly T[], claimIdOf: (item: T) => string): (readonly T[])[] {
    if (!this.isOn) return [items]
    return this.byNodeAndShard(items, claimIdOf).map((shards) =>
      shards.flatMap((shardItems) => shardItems.items),
    )
  }

  /** Takes the shards that were just read. */
  update(found: Distribution): void {
    // Distributed tables cannot become undistributed.
    if (!found.isOn) return
    this.#current = found.#current
    this.#currentLowest = found.#currentLowest
    this.isStale = false
  }

  /** When a node was last lost, by performance.now(). Older connections may lead to the lost node. */
  get nodeLostAt(): number {
    return this.#nodeLostAt
  }

  /** Records that the coordinator could not reach a node. During an outage the time advances once per window. */
  recordNodeLoss(): void {
    const now = performance.now()
    if (now - this.#nodeLostAt > NODE_LOSS_WINDOW_MS) this.#nodeLostAt = now
  }

  /** A request to the node failed or timed out. */
  markDown(node: number): void {
    const now = performance.now()
    this.#down.set(node, { since: now, until: now + NODE_DOWN_MS })
  }

  /** A request to the node succeeded. @param sentAt a request that was sent before the failure proves nothing */
  markUp(node: number, sentAt: number): void {
    const downtime = this.#down.get(node)
    if (downtime && sentAt > downtime.since) this.#down.delete(node)
  }

  /** Whether the node failed recently, or is being tested now. */
  isDown(node: number): boolean {
    return (this.#down.get(node)?.until ?? 0) > performance.now()
  }

  /**
   * SQL that repeats the ids of a statement for another column, `AND …`; empty without shards. Citus finds the shards of each table
   * separately and does not infer them from a join.
   */
  andIn(column: string, ids: string): string {
    return this.isOn ? `AND ${column} = ANY (${ids}::uuid[])` : ''
  }

  /**
   * The id of a new claim. Concurrent creations get ids of one shard, so that they share statements. The shard is on a node that is
   * not down, if there is one.
   */
  newClaimId(): string {
    if (!this.isOn) return uuidv7()
    const now = performance.now()
    if (now >= this.#newest.until) {
      this.#newest = { shard: this.#anyShard(), until: now + SHARD_ROTATION_MS }
    }
    const { shard } = this.#newest
    return uuidWithHashIn(uuidv7(), this.#lowest[shard] as number, (this.#lowest[shard + 1] ?? 2 ** 31) - 1)
  }

  #anyShard(): number {
    const shards = this.allShards()
    const shard = shards.find((shard) => !this.isDown(this.#nodeOfShard(shard))) ?? (shards[0] as number)
    const downtime = this.#down.get(this.#nodeOfShard(shard))
    if (downtime) downtime.until = Math.max(downtime.until, performance.now() + NODE_PROBE_MS)
    return shard
  }

  #nodeOfShard(shard: number): number {
    const index = indexOfHash(this.#lowest[shard] as number, this.#currentLowest)
    return (this.#current[index] as Shard).node
  }
}

/** A shard of the table `claims`. */
export interface Shard {
  /** The lowest hash of its ids. */
  lowest: number
  /** The shard's number in Citus. */
  id: string
  /** The group's number in Citus. */
  node: number
}

/** Items whose claims are in one shard. */
export interface OfShard<T> {
  shard: Shard
  /** The id of one of the claims. */
  claimId: string
  items: T[]
}

/** The index of the claim's shard in the ascending lowest hashes. */
const indexOf = (claimId: string, lowest: readonly number[]): number => indexOfHash(uuidHash(claimId), lowest)

function indexOfHash(hash: number, lowest: readonly number[]): number {
  let [from, to] = [0, lowest.length]
  while (to - from > 1) {
    const middle = (from + to) >>> 1
    if ((lowest[middle] as number) <= hash) from = middle
    else to = middle
  }
  return from
}

/** Groups items by the index of their claims' shards, in ascending order. */
function byIndex<T>(
  items: readonly T[],
  claimIdOf: (item: T) => string,
  lowest: readonly number[],
): [index: number, shardItems: T[]][] {
  const groups = Map.groupBy(items, (item) => indexOf(claimIdOf(item), lowest))
  return [...groups].sort(([a], [b]) => a - b)
}
