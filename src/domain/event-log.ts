import { type Condition, holds, type Leaf, leavesOf, satisfiesLeaf } from './condition.ts'
import type { LogEvent } from './event.ts'

/**
 * The events of one claim, as far as decisions need them. What a leaf needs is one event, and an event stays in
 * the log, so a satisfied leaf stays satisfied: each event is held against the remaining leaves of its type once.
 */
export class EventLog {
  readonly #condition: Condition
  readonly #byId = new Map<string, LogEvent>()
  readonly #unsatisfied = new Map<string, Leaf[]>()
  readonly #satisfied = new Set<Leaf>()

  constructor(condition: Condition, events: readonly LogEvent[] = []) {
    this.#condition = condition
    for (const [type, leaves] of Map.groupBy(leavesOf(condition), (leaf) => leaf.event)) {
      this.#unsatisfied.set(type, leaves)
    }
    for (const event of events) this.add(event)
  }

  find(id: string): LogEvent | undefined {
    return this.#byId.get(id)
  }

  add(event: LogEvent): void {
    this.#byId.set(event.id, event)
    const leaves = this.#unsatisfied.get(event.type)
    if (!leaves) return
    const remaining = leaves.filter((leaf) => !satisfiesLeaf(event, leaf))
    if (remaining.length === leaves.length) return
    for (const leaf of leaves) if (!remaining.includes(leaf)) this.#satisfied.add(leaf)
    this.#unsatisfied.set(event.type, remaining)
  }

  isSatisfied(leaf: Leaf): boolean {
    return this.#satisfied.has(leaf)
  }

  /** Whether the condition holds over all events so far (§2.2 rules 1 and 2). */
  get satisfiesCondition(): boolean {
    return holds(this.#condition, (leaf) => this.isSatisfied(leaf))
  }
}
