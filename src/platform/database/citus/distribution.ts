import { v7 as uuidv7 } from 'uuid'
import { uuidHash, uuidWithin } from './uuid-hash.ts'

/** For so long a loss is the same one. */
const LOSS_MS = 5_000
/** For so long new claims are of one shard. */
const TURN_MS = 20
/** A machine counts as away for so long. */
const AWAY_MS = 60_000
/** Then new claims of one moment find out whether it is back, and for so long no others go there. */
const TRIED_MS = 10_000

/** What is known of a machine that was away. */
interface Absence {
  since: number
  /** Until when it counts as away. */
  until: number
}

/**
 * Where claims are. On one PostgreSQL all of them are in one place. On Citus they lie in shards, by a hash of their ids, and
 * these on machines: what several of them commit takes two phases and costs ten times as much, so what is written together
 * is of one machine.
 */
export class Distribution {
  /** Of each shard at the start, by which the shards have their numbers: should some be split, these stay. */
  readonly #lowest: readonly number[]
  /** As far as is known: shards move, and are split. */
  #now: readonly Shard[]
  #lowestNow: readonly number[]
  /** Whether a shard was not where it was looked for: they are read again before the next write. */
  isStale = false
  #newest = { shard: 0, until: 0 }
  #lostAt = -Infinity
  /** Of each machine that was away; by performance.now(). */
  readonly #away = new Map<number, Absence>()

  /** @param shards in the order of their hashes; none if the tables are not distributed */
  constructor(shards: readonly Shard[] = []) {
    this.#now = shards
    this.#lowest = shards.map(({ lowest }) => lowest)
    this.#lowestNow = this.#lowest
  }

  get isOn(): boolean {
    return this.#lowest.length > 0
  }

  /** How many shards there are. */
  get shards(): number {
    return this.isOn ? this.#lowest.length : 1
  }

  /** How many machines have some of them. */
  get machines(): number {
    return this.isOn ? new Set(this.#now.map(({ machine }) => machine)).size : 1
  }

  /** The numbers of all shards, one after the other, from any of them on. */
  allShards(): number[] {
    const first = Math.floor(Math.random() * this.shards)
    return Array.from({ length: this.shards }, (_, i) => (first + i) % this.shards)
  }

  /** The number of the claim's shard, from 0 on. */
  shardOf(claimId: string): number {
    return this.isOn ? placeOf(claimId, this.#lowest) : 0
  }

  /** The number of the claim's machine: for what must not wait for another. Where a statement goes is for Citus to know. */
  machineOf(claimId: string): number {
    return this.isOn ? (this.#now[placeOf(claimId, this.#lowestNow)] as Shard).machine : 0
  }

  /**
   * Groups what belongs to claims by their shards. The shards come in their order: all who write to several lock rows in
   * the same order.
   */
  byShard<T>(items: readonly T[], claimIdOf: (item: T) => string): T[][] {
    return byPlace(items, claimIdOf, this.#lowest).map(([, ofShard]) => ofShard)
  }

  /**
   * The same by the machines and the shards that are there now. All who write to several lock the rows of one machine after
   * those of another.
   */
  byMachineNow<T>(items: readonly T[], claimIdOf: (item: T) => string): OfShard<T>[][] {
    const shards = byPlace(items, claimIdOf, this.#lowestNow).map(([place, items]) => ({
      shard: this.#now[place] as Shard,
      claimId: claimIdOf(items[0] as T),
      items,
    }))
    const machines = Map.groupBy(shards, ({ shard }) => shard.machine)
    return [...machines].sort(([a], [b]) => a - b).map(([, ofMachine]) => ofMachine)
  }

  /** The same, without the shards; on one PostgreSQL all together. */
  byMachine<T>(items: readonly T[], claimIdOf: (item: T) => string): (readonly T[])[] {
    if (!this.isOn) return [items]
    return this.byMachineNow(items, claimIdOf).map((shards) => shards.flatMap((ofShard) => ofShard.items))
  }

  /** As it was read just now; as it was if the tables are not distributed any more, of which there is no way back. */
  takeOver(found: Distribution): void {
    if (!found.isOn) return
    this.#now = found.#now
    this.#lowestNow = found.#lowestNow
    this.isStale = false
  }

  /** When a machine was lost last, by performance.now(): connections that are older may lead to where it was. */
  get lostAt(): number {
    return this.#lostAt
  }

  /** The coordinator could not reach one of its machines. As long as that lasts, it is noted now and then. */
  noteLoss(): void {
    const now = performance.now()
    if (now - this.#lostAt > LOSS_MS) this.#lostAt = now
  }

  /** What was asked of this machine has failed, or had no answer in time. */
  noteAway(machine: number): void {
    const now = performance.now()
    this.#away.set(machine, { since: now, until: now + AWAY_MS })
  }

  /** What was asked of this machine then was done. */
  noteThere(machine: number, askedAt: number): void {
    const absence = this.#away.get(machine)
    if (absence && askedAt > absence.since) this.#away.delete(machine)
  }

  /** Whether this machine was away a minute ago, or since; or it is just being tried whether it still is. */
  isAway(machine: number): boolean {
    return (this.#away.get(machine)?.until ?? 0) > performance.now()
  }

  /**
   * SQL that says once more of which claims a column is, `AND …`; empty if there are no shards. Citus looks for each table
   * by itself at what shards a statement is about, and does not conclude it from a join.
   */
  andIn(column: string, ids: string): string {
    return this.isOn ? `AND ${column} = ANY (${ids}::uuid[])` : ''
  }

  /**
   * For a new claim. Those that come together get ids of one shard, so that they are stored together, and it is on a
   * machine that was not away just now, if there is one.
   */
  newClaimId(): string {
    if (!this.isOn) return uuidv7()
    const now = performance.now()
    if (now >= this.#newest.until) {
      this.#newest = { shard: this.#anyShard(), until: now + TURN_MS }
    }
    const { shard } = this.#newest
    return uuidWithin(uuidv7(), this.#lowest[shard] as number, (this.#lowest[shard + 1] ?? 2 ** 31) - 1)
  }

  #anyShard(): number {
    const shards = this.allShards()
    const shard = shards.find((shard) => !this.isAway(this.#machineOfShard(shard))) ?? (shards[0] as number)
    const absence = this.#away.get(this.#machineOfShard(shard))
    if (absence) absence.until = Math.max(absence.until, performance.now() + TRIED_MS)
    return shard
  }

  #machineOfShard(shard: number): number {
    const place = placeOfHash(this.#lowest[shard] as number, this.#lowestNow)
    return (this.#now[place] as Shard).machine
  }
}

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
const placeOf = (claimId: string, lowest: readonly number[]): number => placeOfHash(uuidHash(claimId), lowest)

function placeOfHash(hash: number, lowest: readonly number[]): number {
  let [from, to] = [0, lowest.length]
  while (to - from > 1) {
    const middle = (from + to) >>> 1
    if ((lowest[middle] as number) <= hash) from = middle
    else to = middle
  }
  return from
}

/** Groups what belongs to claims by the place of their shards, which come in their order. */
function byPlace<T>(
  items: readonly T[],
  claimIdOf: (item: T) => string,
  lowest: readonly number[],
): [place: number, ofShard: T[]][] {
  const places = Map.groupBy(items, (item) => placeOf(claimIdOf(item), lowest))
  return [...places].sort(([a], [b]) => a - b)
}
