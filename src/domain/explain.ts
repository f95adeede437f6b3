import type { Claim } from './claim.ts'
import { type Condition, type Leaf, satisfiesLeaf } from './condition.ts'
import { ACTIVITY_WINDOW_ELAPSED, type LogEvent, REVIEW_WINDOW_ELAPSED } from './event.ts'
import type { Status } from './lifecycle.ts'

/** Events that a satisfied leaf names at most. */
const MAX_SATISFYING_EVENTS = 10

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

/** The tree with what satisfies each node, and the transitions so far with their reasons. `log` is the whole log. */
export function explain(claim: Claim, log: readonly LogEvent[]) {
  return {
    condition: explainCondition(claim.contract.fulfillment_condition, log),
    transitions: explainTransitions(claim, log),
  }
}

function explainCondition(condition: Condition, log: readonly LogEvent[]): ExplainedCondition {
  if (!('op' in condition)) {
    const events = log.filter((event) => satisfiesLeaf(event, condition))
    const satisfiedBy = events.slice(0, MAX_SATISFYING_EVENTS).map(({ id }) => id)
    return { ...condition, satisfied: events.length > 0, satisfied_by: satisfiedBy }
  }
  if (condition.op === 'NOT') {
    const child = explainCondition(condition.condition, log)
    return { op: 'NOT', satisfied: !child.satisfied, condition: child }
  }
  const conditions = condition.conditions.map((child) => explainCondition(child, log))
  const isTrue = (child: ExplainedCondition) => child.satisfied
  const satisfied = condition.op === 'AND' ? conditions.every(isTrue) : conditions.some(isTrue)
  return { op: condition.op, satisfied, conditions }
}

/** A claim leaves OPEN by its last submitted event or by the activity window; PENDING by the review window. */
function explainTransitions(claim: Claim, log: readonly LogEvent[]): ExplainedTransition[] {
  if (claim.status === 'OPEN') return []
  const timeout = log.find((event) => event.system && event.type === ACTIVITY_WINDOW_ELAPSED)
  const settling = log.findLast((event) => !event.system)
  const first = timeout ?? settling
  if (!first) throw new Error('a claim left OPEN without an event')
  const toPending: ExplainedTransition = {
    from: 'OPEN',
    to: 'PENDING',
    at: first.createdAt,
    because: timeout ? { windowElapsed: 'activity_window', eventId: first.id } : { eventId: first.id },
  }
  const end = log.find((event) => event.system && event.type === REVIEW_WINDOW_ELAPSED)
  if (!end) return [toPending]
  const because: Because = { windowElapsed: 'review_window', eventId: end.id }
  return [toPending, { from: 'PENDING', to: claim.status, at: end.createdAt, because }]
}
