import {
  type AggregateValue,
  bytesOfAggregate,
  contributionOf,
  INITIAL_AGGREGATES,
  isAggregateSatisfied,
  withContribution,
} from '../contracts/aggregate.ts'
import { compile } from '../contracts/compiled-condition.ts'
import { type Aggregate, type Condition, holds, type Leaf } from '../contracts/condition.ts'
import type { Evidence } from './event.ts'

/**
 * The state of a condition over the events of one claim. A leaf needs one event, and events stay in the log, so a satisfied
 * leaf stays satisfied. Each event is therefore evaluated once and not kept. An aggregate keeps its current value (§2.1a).
 *
 * It is immutable: a decision creates a new log with the event. If the write fails, the caller keeps the previous log.
 */
export class EventLog {
  readonly #condition: Condition
  /** Null while no leaf is satisfied, which saves memory: thousands of logs are cached. */
  readonly #satisfied: ReadonlySet<Leaf> | null
  /** Null while every aggregate is 0. */
  readonly #aggregates: ReadonlyMap<Leaf, AggregateValue> | null
  #holds: boolean | null = null

  /** An empty log, or the log whose events satisfy these leaves and have these aggregates. */
  constructor(
    condition: Condition,
    satisfied: ReadonlySet<Leaf> | null = null,
    aggregates: ReadonlyMap<Leaf, AggregateValue> | null = null,
  ) {
    this.#condition = condition
    this.#satisfied = satisfied
    this.#aggregates = aggregates
  }

  static of(condition: Condition, events: readonly Evidence[]): EventLog {
    return events.reduce((log: EventLog, event) => log.with(event), new EventLog(condition))
  }

  /** The log with the event added. Returns this log if the event satisfies no further leaf and changes no aggregate. */
  with(event: Evidence): EventLog {
    let satisfied: Set<Leaf> | null = null
    let aggregates: Map<Leaf, AggregateValue> | null = null
    for (const leaf of compile(this.#condition).leavesSatisfiedBy(event)) {
      if (leaf.aggregate !== undefined) {
        const contribution = contributionOf(leaf, event.payload)
        // One leaf object may be in two places of the condition. It counts an event once.
        if (contribution === null || aggregates?.has(leaf)) continue
        aggregates ??= new Map()
        aggregates.set(leaf, withContribution(this.aggregateOf(leaf, leaf.aggregate), contribution))
      } else if (!this.isSatisfied(leaf)) {
        satisfied ??= new Set(this.#satisfied)
        satisfied.add(leaf)
      }
    }
    if (satisfied === null && aggregates === null) return this
    return new EventLog(
      this.#condition,
      satisfied ?? this.#satisfied,
      aggregates === null ? this.#aggregates : new Map([...(this.#aggregates ?? []), ...aggregates]),
    )
  }

  /** The value of the leaf's aggregate over all events so far. */
  aggregateOf(leaf: Leaf, aggregate: Aggregate): AggregateValue {
    return this.#aggregates?.get(leaf) ?? INITIAL_AGGREGATES[aggregate]
  }

  isSatisfied(leaf: Leaf): boolean {
    if (leaf.aggregate !== undefined)
      return isAggregateSatisfied(leaf, this.aggregateOf(leaf, leaf.aggregate))
    return this.#satisfied?.has(leaf) ?? false
  }

  /** The number of satisfied leaves without an aggregate. For the size of the cache. */
  get satisfiedCount(): number {
    return this.#satisfied?.size ?? 0
  }

  /** Estimated memory of the aggregates' values. For the size of the cache. */
  get aggregateBytes(): number {
    return this.#aggregates?.values().reduce((sum, value) => sum + bytesOfAggregate(value), 0) ?? 0
  }

  /** Whether the condition holds over all events so far (§2.2 rules 1 and 2). */
  get satisfiesCondition(): boolean {
    this.#holds ??= holds(this.#condition, (leaf) => this.isSatisfied(leaf))
    return this.#holds
  }
}
