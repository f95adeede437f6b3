import { presentRecorded } from '../claims/present-event.ts'
import { presentBecause } from '../claims/present-history.ts'
import type { Decision } from '../core/claims/claim-run.ts'
import { eventOf } from '../core/claims/late-submission.ts'
import type { TimelineEntry } from '../core/claims/simulate.ts'
import type { ErrorCode } from '../kernel/errors.ts'
import { JsonText } from '../platform/http/responses/send-json.ts'
import type { ContractSimulation } from './simulate-contract.ts'

export function presentSimulation({ openedAt, timeline, final, hints }: ContractSimulation) {
  return {
    opened_at: openedAt,
    timeline: timeline.values().map(presentTimelineEntry),
    final: {
      status: final.status,
      scheduled_outcome: final.scheduledOutcome,
      status_since: final.statusSince,
      due_at: final.dueAt,
    },
    hints,
  }
}

/** What the live service answers if it does not record. */
const REFUSALS: Partial<Record<Decision['kind'], ErrorCode>> = {
  'not-open': 'CLAIM_NOT_OPEN',
  'id-conflict': 'EVENT_ID_CONFLICT',
  'log-full': 'EVENT_LIMIT_REACHED',
}

function presentTimelineEntry(entry: TimelineEntry) {
  if (entry.kind === 'transition') return { ...entry, because: presentBecause(entry.because) }
  const { kind, at, submission, decision } = entry
  const event = presentRecorded(eventOf(submission, at))
  const code = REFUSALS[decision]
  const verdict = code ? { accepted: false, code } : { accepted: true }
  const body = { kind, at, event, ...verdict, ...(decision === 'replay' ? { replayed: true } : {}) }
  return event instanceof JsonText ? JsonText.ofObject(body) : body
}
