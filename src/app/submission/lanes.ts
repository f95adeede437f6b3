import type { Kind, Taken } from './line.ts'
import type { PendingSubmission } from './pending-submission.ts'
import type { SubmissionLines } from './submission-lines.ts'

/** For so many claims another group of a shard goes while one is on its way; fewer wait for it. */
const WORTH_ANOTHER = 8

/** A group on its way. */
export interface Lane {
  readonly kind: Kind
  readonly shard: number
  readonly group: readonly Taken[]
}

/**
 * Decides which groups go. Each shard has lanes of its own, so that none waits for another; if it has two, a group is decided
 * and sent while another is being committed.
 */
export class Lanes {
  readonly #lines: SubmissionLines
  readonly #ofShard: number
  readonly #underWay: Lane[] = []
  #firstShard = 0
  /** The shard of the last heavy group, as long as no light one of it has gone since. */
  #lastHeavy: number | null = null

  constructor(lines: SubmissionLines, ofShard: number) {
    this.#lines = lines
    this.#ofShard = ofShard
  }

  get isEmpty(): boolean {
    return this.#underWay.length === 0
  }

  get isFull(): boolean {
    return this.#underWay.length === this.#ofShard * this.#lines.shards
  }

  /** The submissions on their way. */
  get submissions(): PendingSubmission[] {
    return this.#underWay.flatMap(({ group }) => group).flatMap(({ submissions }) => submissions)
  }

  /** Whether some wait though a lane of their shard is free: too few for another group. */
  get isAnyHeldBack(): boolean {
    for (let shard = 0; shard < this.#lines.shards; shard++) {
      if (this.#hasLane(shard) && this.#lines.openCount('light', shard) > 0) return true
    }
    return false
  }

  /** Takes the groups that go now. Each has its lane until `leave`. Another shard is first each time. */
  fill(worthAnother = WORTH_ANOTHER): Lane[] {
    const { shards } = this.#lines
    this.#firstShard = (this.#firstShard + 1) % shards
    const filled: Lane[] = []
    for (let i = 0; i < shards; i++) {
      const shard = (this.#firstShard + i) % shards
      if (this.#mayBeHeavy(shard)) filled.push(this.#take('heavy', shard))
      while (this.#mayBeLight(shard, worthAnother)) filled.push(this.#take('light', shard))
    }
    return filled
  }

  /** The group has come back. */
  leave(lane: Lane): void {
    this.#underWay.splice(this.#underWay.indexOf(lane), 1)
  }

  /**
   * One heavy group at most is on its way: what is read for it takes long, and the other lanes are everyone else's. If its
   * shard has one lane, heavy and light groups take turns in it.
   */
  #mayBeHeavy(shard: number): boolean {
    if (!this.#hasLane(shard) || this.#underWay.some(({ kind }) => kind === 'heavy')) return false
    const isTheirTurn =
      this.#ofShard > 1 || this.#lastHeavy !== shard || this.#lines.openCount('light', shard) === 0
    return isTheirTurn && this.#lines.openCount('heavy', shard) > 0
  }

  #mayBeLight(shard: number, worthAnother: number): boolean {
    const isUnderWay = this.#underWay.some((lane) => lane.kind === 'light' && lane.shard === shard)
    return this.#hasLane(shard) && this.#lines.openCount('light', shard) >= (isUnderWay ? worthAnother : 1)
  }

  #hasLane(shard: number): boolean {
    let taken = 0
    for (const lane of this.#underWay) if (lane.shard === shard) taken++
    return taken < this.#ofShard
  }

  #take(kind: Kind, shard: number): Lane {
    if (kind === 'heavy') this.#lastHeavy = shard
    else if (this.#lastHeavy === shard) this.#lastHeavy = null
    const lane = { kind, shard, group: this.#lines.take(kind, shard) }
    this.#underWay.push(lane)
    return lane
  }
}
