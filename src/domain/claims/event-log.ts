import { compile } from '../contract/compiled-condition.ts'
import { type Condition, holds, type Leaf } from '../contract/condition.ts'
import type { Evidence } from './event.ts'

/**
 * The events of one claim, as far as its condition needs them. What a leaf needs is one event, and an event stays
 * in the log, so a satisfied leaf stays satisfied: each event is looked at once, and need not be kept.
 */
export class EventLog {
  readonly #condition: Condition
  /** Null while there is none: many logs are held in memory at once. */
  #satisfied: Set<Leaf> | null = null
  #holds: boolean | null = null

  constructor(condition: Condition, events: readonly Evidence[] = []) {
    this.#condition = condition
    for (const event of events) this.add(event)
  }

  add(event: Evidence): void {
    for (const leaf of compile(this.#condition).leavesSatisfiedBy(event)) {
      if (this.isSatisfied(leaf)) continue
      this.#satisfied ??= new Set()
      this.#satisfied.add(leaf)
      this.#holds = null
    }
  }

  isSatisfied(leaf: Leaf): boolean {
    return this.#satisfied?.has(leaf) ?? false
  }

  /** Whether the condition holds over all events so far (§2.2 rules 1 and 2). */
  get satisfiesCondition(): boolean {
    this.#holds ??= holds(this.#condition, (leaf) => this.isSatisfied(leaf))
    return this.#holds
  }
}
