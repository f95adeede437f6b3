import type { Part } from '../../../kernel/part.ts'
import type { Database } from '../database.ts'
import { isFaultOfDatabase, isPassing } from '../database-unavailable.ts'
import { GroupedWork, type GroupKind } from './grouped-work.ts'

export interface MachineGroupKind<Item, Outcome> extends Omit<GroupKind<Item, Outcome>, 'lanes'> {
  /** Of the claim, or of one of those of the same machine, that an item is about. */
  claimIdOf: (item: Item) => string
}

/**
 * Grouped work about claims. On distributed tables a group is of one machine, and each has lines and a lane of its own: one
 * that does not answer holds up none but its own claims.
 */
export class GroupedByMachine<Item, Outcome> implements Part {
  readonly #db: Database
  readonly #kind: MachineGroupKind<Item, Outcome>
  readonly #works = new Map<number, GroupedWork<Item, Outcome>>()
  #isStopping = false

  constructor(db: Database, kind: MachineGroupKind<Item, Outcome>) {
    this.#db = db
    this.#kind = kind
  }

  /** As `GroupedWork.do`. */
  do(userId: string, item: Item): Promise<Outcome> {
    const { distribution } = this.#db
    const machine = distribution.isOn ? distribution.machineOf(this.#kind.claimIdOf(item)) : 0
    const done = this.#at(machine).do(userId, item)
    if (!distribution.isOn) return done
    const since = performance.now()
    return done.then(
      (outcome) => {
        distribution.noteThere(machine, since)
        return outcome
      },
      (error: unknown) => this.#failed(machine, error),
    )
  }

  async stop(): Promise<void> {
    this.#isStopping = true
    await Promise.all(this.#works.values().map((work) => work.stop()))
  }

  #at(machine: number): GroupedWork<Item, Outcome> {
    const known = this.#works.get(machine)
    if (known) return known
    const { claimIdOf: _, ...kind } = this.#kind
    const work = new GroupedWork<Item, Outcome>(this.#db.distribution.isOn ? { ...kind, lanes: 1 } : kind)
    if (this.#isStopping) void work.stop()
    this.#works.set(machine, work)
    return work
  }

  #failed(machine: number, error: unknown): never {
    if (isFaultOfDatabase(error) && !isPassing(error)) this.#db.noteAway(machine)
    throw error
  }
}
