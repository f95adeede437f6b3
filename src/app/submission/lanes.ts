import { LANES_OF_SHARD } from '../../storage/database/database.ts'
import type { Kind, Taken } from './line.ts'
import type { PendingSubmission } from './pending-submission.ts'
import type { SubmissionLines } from './submission-lines.ts'

/** When another group of a shard goes although one is on its way. */
interface Patience {
  /** For so many claims. */
  worthAnother: number
  /** For fewer, once that one has taken so long: it may be stuck. */
  stuckMs: number
}
const ON_ONE_POSTGRES: Patience = { worthAnother: 8, stuckMs: 10 }
/** There a group takes several times as long, however small it is. */
const ON_SHARDS: Patience = { worthAnother: 64, stuckMs: 100 }

/** A group on its way. */
export interface Lane {
  readonly kind: Kind
  readonly shard: number
  readonly group: readonly Taken[]
  /** By performance.now(), in milliseconds. */
  readonly since: number
}

/**
 * Decides which groups go. Each shard has two lanes of its own, so that none waits for another, and a group can be decided
 * and sent while another is being committed.
 */
export class Lanes {
  readonly #lines: SubmissionLines
  readonly #patience: Patience
  readonly #underWay: Lane[] = []
  #firstShard = 0

  constructor(lines: SubmissionLines) {
    this.#lines = lines
    this.#patience = lines.shards > 1 ? ON_SHARDS : ON_ONE_POSTGRES
  }

  get isEmpty(): boolean {
    return this.#underWay.length === 0
  }

  get isFull(): boolean {
    return this.#underWay.length === LANES_OF_SHARD * this.#lines.shards
  }

  /** The submissions on their way. */
  get submissions(): PendingSubmission[] {
    return this.#underWay.flatMap(({ group }) => group).flatMap(({ submissions }) => submissions)
  }

  /** Whether some wait though a lane of their shard is free: too few for another group. */
  get isAnyHeldBack(): boolean {
    for (let shard = 0; shard < this.#lines.shards; shard++) {
      if (this.#lines.openCount('light', shard) > 0 && this.#hasLane(shard)) return true
    }
    return false
  }

  /** After how many milliseconds what is held back may go. */
  get stuckMs(): number {
    return this.#patience.stuckMs
  }

  /** Takes the groups that go now. Each has its lane until `leave`. Another shard is first each time. */
  fill(now = performance.now()): Lane[] {
    const { shards } = this.#lines
    this.#firstShard = (this.#firstShard + 1) % shards
    const filled: Lane[] = []
    for (let i = 0; i < shards; i++) {
      const shard = (this.#firstShard + i) % shards
      if (this.#mayBeHeavy(shard)) filled.push(this.#take('heavy', shard, now))
      while (this.#mayBeLight(shard, now)) filled.push(this.#take('light', shard, now))
    }
    return filled
  }

  /** The group has come back. */
  leave(lane: Lane): void {
    this.#underWay.splice(this.#underWay.indexOf(lane), 1)
  }

  /** One heavy group at most is on its way: what is read for it takes long, and the other lanes are everyone else's. */
  #mayBeHeavy(shard: number): boolean {
    return (
      this.#lines.openCount('heavy', shard) > 0 &&
      this.#hasLane(shard) &&
      !this.#underWay.some(({ kind }) => kind === 'heavy')
    )
  }

  #mayBeLight(shard: number, now: number): boolean {
    const { worthAnother, stuckMs } = this.#patience
    const count = this.#lines.openCount('light', shard)
    if (count === 0 || !this.#hasLane(shard)) return false
    const isOnItsWay = (lane: Lane) =>
      lane.shard === shard && lane.kind === 'light' && now - lane.since < stuckMs
    return count >= worthAnother || !this.#underWay.some(isOnItsWay)
  }

  #hasLane(shard: number): boolean {
    let taken = 0
    for (const lane of this.#underWay) if (lane.shard === shard) taken++
    return taken < LANES_OF_SHARD
  }

  #take(kind: Kind, shard: number, since: number): Lane {
    const lane = { kind, shard, group: this.#lines.take(kind, shard), since }
    this.#underWay.push(lane)
    return lane
  }
}
