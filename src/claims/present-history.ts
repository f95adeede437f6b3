import type { ClaimExplanation } from './explain-claim.ts'

export function presentExplanation(explanation: ClaimExplanation) {
  const { claim, condition, transitions, hints } = explanation
  return {
    status: claim.status,
    scheduled_outcome: claim.scheduledOutcome,
    condition,
    transitions: transitions.map((transition) => ({
      ...transition,
      because: presentBecause(transition.because),
    })),
    hints,
  }
}

export function presentBecause(because: { eventId?: string; windowElapsed?: string }) {
  const { eventId, windowElapsed } = because
  return {
    ...(windowElapsed === undefined ? {} : { window_elapsed: windowElapsed }),
    ...(eventId === undefined ? {} : { event_id: eventId }),
  }
}
