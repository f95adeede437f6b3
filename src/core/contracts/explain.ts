import type { Claim } from '../claims/claim.ts'
import {
  ACTIVITY_WINDOW_ELAPSED,
  type Evidence,
  type LogEvent,
  REVIEW_WINDOW_ELAPSED,
} from '../claims/event.ts'
import type { Status } from '../claims/lifecycle.ts'
import { MAX_SATISFYING_EVENTS } from '../limits.ts'
import { type CompiledCondition, compile } from './compiled-condition.ts'
import type { Condition, Leaf } from './condition.ts'
import { type LogHint, LogHints } from './hints/log-hints.ts'

/** A node of the condition as it was sent, with its truth over the log. */
export type ExplainedCondition =
  | (Leaf & { satisfied: boolean; satisfied_by: string[] })
  | { op: 'AND' | 'OR'; satisfied: boolean; conditions: ExplainedCondition[] }
  | { op: 'NOT'; satisfied: boolean; condition: ExplainedCondition }

type Because = { eventId: string } | { windowElapsed: 'activity_window' | 'review_window'; eventId: string }

export interface ExplainedTransition {
  from: Status
  to: Status
  at: Date
  /** The submitted event that settled the claim, or the window that elapsed with its system event. */
  because: Because
}

type Named = Pick<LogEvent, 'id' | 'type' | 'system' | 'createdAt'>

/** What satisfies each node of a claim's condition, and why the claim moved. Its log is shown to it event by event. */
export class Explanation {
  readonly #claim: Claim
  readonly #compiled: CompiledCondition
  readonly #satisfiedBy = new Map<Leaf, string[]>()
  readonly #hints: LogHints

  constructor(claim: Claim) {
    this.#claim = claim
    this.#compiled = compile(claim.contract.fulfillment_condition)
    this.#hints = new LogHints(claim.contract)
  }

  /** Events in the order of the log; those of types that the condition does not name may be left out. */
  add(event: Evidence & Pick<LogEvent, 'id'>): void {
    for (const leaf of this.#compiled.leavesSatisfiedBy(event)) {
      const ids = this.#satisfiedBy.get(leaf)
      if (!ids) this.#satisfiedBy.set(leaf, [event.id])
      else if (ids.length < MAX_SATISFYING_EVENTS) ids.push(event.id)
    }
    this.#hints.add(event, this.#satisfiedBy)
  }

  /** @param ids of the first events of a type that the condition does not name */
  addType(type: string, ids: readonly string[]): void {
    this.#hints.addType(type, ids)
  }

  /** Hints to the events so far. */
  get hints(): LogHint[] {
    return this.#hints.hints(this.#satisfiedBy)
  }

  /** The tree as it was sent, with the truth of each node. */
  get condition(): ExplainedCondition {
    return this.#explain(this.#claim.contract.fulfillment_condition)
  }

  /** The transitions so far. @param end the last items of the log, two if it has as many */
  transitions(end: readonly Named[]): ExplainedTransition[] {
    return explainTransitions(this.#claim, end)
  }

  #explain(condition: Condition): ExplainedCondition {
    if (!('op' in condition)) {
      const satisfiedBy = this.#satisfiedBy.get(condition) ?? []
      return { ...condition, satisfied: satisfiedBy.length > 0, satisfied_by: satisfiedBy }
    }
    if (condition.op === 'NOT') {
      const child = this.#explain(condition.condition)
      return { op: 'NOT', satisfied: !child.satisfied, condition: child }
    }
    const conditions = condition.conditions.map((child) => this.#explain(child))
    const isTrue = (child: ExplainedCondition) => child.satisfied
    const satisfied = condition.op === 'AND' ? conditions.every(isTrue) : conditions.some(isTrue)
    return { op: condition.op, satisfied, conditions }
  }
}

/**
 * A claim leaves OPEN by its last submitted event or by the activity window; PENDING by the review window. So the last
 * two items of its log are what it moved by.
 */
function explainTransitions(claim: Claim, end: readonly Named[]): ExplainedTransition[] {
  if (claim.status === 'OPEN') return []
  const timeout = end.find((event) => event.system && event.type === ACTIVITY_WINDOW_ELAPSED)
  const settling = end.findLast((event) => !event.system)
  const first = timeout ?? settling
  if (!first) throw new Error('a claim left OPEN without an event')
  const toPending: ExplainedTransition = {
    from: 'OPEN',
    to: 'PENDING',
    at: first.createdAt,
    because: timeout ? { windowElapsed: 'activity_window', eventId: first.id } : { eventId: first.id },
  }
  const review = end.find((event) => event.system && event.type === REVIEW_WINDOW_ELAPSED)
  if (!review) return [toPending]
  const because: Because = { windowElapsed: 'review_window', eventId: review.id }
  return [toPending, { from: 'PENDING', to: claim.status, at: review.createdAt, because }]
}
