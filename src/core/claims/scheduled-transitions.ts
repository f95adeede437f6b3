import type { CheckTerms } from '../contracts/contract.ts'
import { checkAfter, checkAtOrAfter } from './check-time.ts'
import { atScheduledCheck, type ClaimState, type Transition } from './lifecycle.ts'

/**
 * The transitions that the scheduled checks of every whole minute up to and including `until` make, in their
 * order; with null, all until the claim is terminal. A check moves a claim at the first whole minute at or after `dueAt`, but after it entered its state:
 * so the minutes in between, decades of them, need not be looked at.
 */
export function scheduledTransitions(
  state: ClaimState,
  terms: CheckTerms | null,
  until: Date | null,
): Transition[] {
  const transitions: Transition[] = []
  for (let current = state; ; ) {
    const checkTime = nextCheckTime(current, until)
    if (checkTime === null) return transitions
    const transition = atScheduledCheck(current, terms, checkTime, null)
    if (transition === null) throw new Error('a due claim was not moved by its check')
    transitions.push(transition)
    current = transition.state
  }
}

/** The whole minute whose check moves the claim if nothing happens before; null if that is later, or in a terminal state. */
function nextCheckTime({ dueAt, statusSince }: ClaimState, until: Date | null): Date | null {
  // Asked for each event, and mostly so: no check comes before the window has elapsed.
  if (dueAt === null || (until !== null && dueAt.getTime() > until.getTime())) return null
  const [due, afterEntering] = [checkAtOrAfter(dueAt), checkAfter(statusSince)]
  const checkTime = due > afterEntering ? due : afterEntering
  return until !== null && checkTime > until ? null : checkTime
}
