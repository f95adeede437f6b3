import { compile } from '../contracts/compiled-condition.ts'
import { type Condition, holds, type Leaf } from '../contracts/condition.ts'
import type { Evidence } from './event.ts'

/**
 * The events of one claim, as far as its condition needs them. What a leaf needs is one event, and an event stays
 * in the log, so a satisfied leaf stays satisfied: each event is looked at once, and need not be kept.
 *
 * It never changes: a decision makes a new log with the event. If the write fails, the caller keeps the previous log.
 */
export class EventLog {
  readonly #condition: Condition
  /** Null while there is none: many logs are held in memory at once. */
  readonly #satisfied: ReadonlySet<Leaf> | null
  #holds: boolean | null = null

  /** Without an event, or with those that satisfy these leaves. */
  constructor(condition: Condition, satisfied: ReadonlySet<Leaf> | null = null) {
    this.#condition = condition
    this.#satisfied = satisfied
  }

  static of(condition: Condition, events: readonly Evidence[]): EventLog {
    return events.reduce((log: EventLog, event) => log.with(event), new EventLog(condition))
  }

  /** The log with the event as its next; the same one if it satisfies no further leaf. */
  with(event: Evidence): EventLog {
    let satisfied: Set<Leaf> | null = null
    for (const leaf of compile(this.#condition).leavesSatisfiedBy(event)) {
      if (this.isSatisfied(leaf)) continue
      satisfied ??= new Set(this.#satisfied)
      satisfied.add(leaf)
    }
    return satisfied === null ? this : new EventLog(this.#condition, satisfied)
  }

  isSatisfied(leaf: Leaf): boolean {
    return this.#satisfied?.has(leaf) ?? false
  }

  /** Leaves. */
  get satisfiedCount(): number {
    return this.#satisfied?.size ?? 0
  }

  /** Whether the condition holds over all events so far (§2.2 rules 1 and 2). */
  get satisfiesCondition(): boolean {
    this.#holds ??= this.#evaluate()
    return this.#holds
  }

  #evaluate(): boolean {
    return holds(this.#condition, (leaf) => this.isSatisfied(leaf))
  }
}
