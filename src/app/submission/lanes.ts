import { LANES_OF_MACHINE } from '../../storage/database/database.ts'
import type { Kind, Taken } from './line.ts'
import type { PendingSubmission } from './pending-submission.ts'
import type { SubmissionLines } from './submission-lines.ts'

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
  readonly stuckMs: number
  readonly #underWay: Lane[] = []
  #turn = 0

  constructor(lines: SubmissionLines) {
    this.#lines = lines
    this.stuckMs = lines.isDistributed ? STUCK_MS.distributed : STUCK_MS.onOnePostgres
  }

  get isEmpty(): boolean {
    return this.#underWay.length === 0
  }

  get isFull(): boolean {
    return this.#underWay.length === LANES_OF_MACHINE * this.#lines.machines.length
  }

  /** The submissions on their way. */
  get submissions(): PendingSubmission[] {
    return this.#underWay.flatMap(({ group }) => group).flatMap(({ submissions }) => submissions)
  }

  /** Whether some wait though a lane of their machine is free: too few for another group. */
  get isAnyHeldBack(): boolean {
    return this.#lines.machines.some(
      (machine) => this.#lines.openCount('light', machine) > 0 && this.#hasLane(machine),
    )
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
  leave(lane: Lane): void {
    this.#underWay.splice(this.#underWay.indexOf(lane), 1)
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
    const count = this.#lines.openCount('light', machine)
    if (count === 0 || !this.#hasLane(machine)) return false
    const isOnItsWay = (lane: Lane) =>
      lane.machine === machine && lane.kind === 'light' && now - lane.since < this.stuckMs
    return count >= WORTH_ANOTHER || !this.#underWay.some(isOnItsWay)
  }

  #hasLane(machine: number): boolean {
    let taken = 0
    for (const lane of this.#underWay) if (lane.machine === machine) taken++
    return taken < LANES_OF_MACHINE
  }

  #take(kind: Kind, machine: number, since: number): Lane {
    const lane = { kind, machine, group: this.#lines.take(kind, machine), since }
    this.#underWay.push(lane)
    return lane
  }
}
