import { MAX_SUBMISSION_GROUPS_PER_NODE } from '../../platform/database/limits.ts'
import { Gathering } from './gathering.ts'
import type { PendingSubmission } from './pending-submission.ts'
import type { Kind, SubmissionLines, Taken } from './submission-lines.ts'

/** For so many claims another group of a machine goes although one is on its way. */
const WORTH_ANOTHER = 8
/** For fewer it does, too, once that one has taken so long: it may be stuck. On distributed tables each takes longer. */
const STUCK_MS = { onOnePostgres: 10, distributed: 100 }

/** A group on its way. */
export interface Lane {
  readonly kind: Kind
  readonly machine: number
  readonly group: readonly Taken[]
  /** By performance.now(), in milliseconds. */
  readonly since: number
}

/**
 * Decides which groups go. Each machine has two lanes of its own, so that none waits for another, and a group can be decided
 * and sent while another is being committed.
 */
export class Lanes {
  readonly #lines: SubmissionLines
  /** After how many milliseconds what is held back may go. */
  readonly #stuckMs: number
  readonly #underWay: Lane[] = []
  /** Of each machine, on distributed tables. */
  readonly #gathering = new Map<number, Gathering>()
  #turn = 0

  constructor(lines: SubmissionLines) {
    this.#lines = lines
    this.#stuckMs = lines.isDistributed ? STUCK_MS.distributed : STUCK_MS.onOnePostgres
  }

  get isEmpty(): boolean {
    return this.#underWay.length === 0
  }

  get isFull(): boolean {
    return this.#underWay.length === MAX_SUBMISSION_GROUPS_PER_NODE * this.#lines.machines.length
  }

  /** The submissions on their way. */
  get submissions(): PendingSubmission[] {
    return this.#underWay.flatMap(({ group }) => group).flatMap(({ submissions }) => submissions)
  }

  /** In how many milliseconds some may go that wait though a lane of their machine is free; null if none do. */
  heldMs(now = performance.now()): number | null {
    const times = this.#lines.machines.map((machine) => this.#lightGoesAt(machine, now))
    const held = times.filter((time) => time !== null)
    return held.length === 0 ? null : Math.max(0, Math.min(...held) - now)
  }

  /** Takes the groups that go now. Each has its lane until `leave`. Another machine is first each time. */
  fill(now = performance.now()): Lane[] {
    const { machines } = this.#lines
    const first = this.#turn++ % Math.max(machines.length, 1)
    const filled: Lane[] = []
    for (const machine of [...machines.slice(first), ...machines.slice(0, first)]) {
      if (this.#mayBeHeavy(machine)) filled.push(this.#take('heavy', machine, now))
      while (this.#mayBeLight(machine, now)) filled.push(this.#take('light', machine, now))
    }
    return filled
  }

  /** The group has come back. */
  leave(lane: Lane, now = performance.now()): void {
    this.#underWay.splice(this.#underWay.indexOf(lane), 1)
    const { kind, machine, group, since } = lane
    if (!this.#lines.isDistributed || kind === 'heavy') return
    const gathering = this.#gathering.get(machine) ?? new Gathering()
    this.#gathering.set(machine, gathering)
    // Those of which more waits already are open again.
    const answered = group.filter(({ line }) => line.waiting.length === 0).length
    gathering.begin(answered, this.#lines.openCount('light', machine), now - since, now)
  }

  /** One heavy group at most is on its way: what is read for it takes long, and the other lanes are everyone else's. */
  #mayBeHeavy(machine: number): boolean {
    return (
      this.#lines.openCount('heavy', machine) > 0 &&
      this.#hasLane(machine) &&
      !this.#underWay.some(({ kind }) => kind === 'heavy')
    )
  }

  #mayBeLight(machine: number, now: number): boolean {
    const time = this.#lightGoesAt(machine, now)
    return time !== null && time <= now
  }

  /** When those who wait for this machine go, unless more join them; null if there are none, or no lane is free. */
  #lightGoesAt(machine: number, now: number): number | null {
    const count = this.#lines.openCount('light', machine)
    if (count === 0 || !this.#hasLane(machine)) return null
    const gatheredAt = this.#gathering.get(machine)?.holds(count, now) ?? null
    if (gatheredAt !== null) return gatheredAt
    if (count >= WORTH_ANOTHER) return now
    const beside = this.#underWay.filter((lane) => lane.machine === machine && lane.kind === 'light')
    return Math.max(...beside.map(({ since }) => since)) + this.#stuckMs
  }

  #hasLane(machine: number): boolean {
    let taken = 0
    for (const lane of this.#underWay) if (lane.machine === machine) taken++
    return taken < MAX_SUBMISSION_GROUPS_PER_NODE
  }

  #take(kind: Kind, machine: number, since: number): Lane {
    if (kind === 'light') this.#gathering.get(machine)?.end(this.#lines.openCount('light', machine))
    const lane = { kind, machine, group: this.#lines.take(kind, machine), since }
    this.#underWay.push(lane)
    return lane
  }
}
