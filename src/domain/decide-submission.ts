import type { Claim } from './claim.ts'
import { type LogEvent, MAX_EVENTS, MAX_LOG_BYTES, type Submission } from './event.ts'
import { jsonEquals } from './json.ts'
import { afterSubmission, type ClaimState } from './lifecycle.ts'

/** What to do with a submission to a claim, given its log. */
export type SubmissionDecision =
  | { kind: 'append'; event: LogEvent; state: ClaimState }
  | { kind: 'replay'; event: LogEvent }
  | { kind: 'id-conflict' }
  | { kind: 'not-open' }
  | { kind: 'log-full'; message: string }

/**
 * `log` holds at least the events that can matter: those of the types that the condition names, and the one
 * with the submission's id. A repeated id is looked at before the status: a client can always retry.
 */
export function decideSubmission(
  claim: Claim,
  log: readonly LogEvent[],
  submission: Submission,
  now: Date,
): SubmissionDecision {
  const recorded = log.find((event) => event.id === submission.id)
  if (recorded)
    return isSameContent(recorded, submission) ? { kind: 'replay', event: recorded } : { kind: 'id-conflict' }
  if (claim.status !== 'OPEN') return { kind: 'not-open' }
  if (claim.eventCount >= MAX_EVENTS) {
    return { kind: 'log-full', message: `The log holds ${MAX_EVENTS} events, the most that a claim takes.` }
  }
  if (claim.logBytes + submission.payloadBytes > MAX_LOG_BYTES) {
    return { kind: 'log-full', message: `The log's payloads would exceed ${MAX_LOG_BYTES} bytes.` }
  }
  const { id, type, payload } = submission
  const event: LogEvent = { id, type, payload, system: false, createdAt: now }
  return {
    kind: 'append',
    event,
    state: afterSubmission(stateOf(claim), claim.contract, [...log, event], now),
  }
}

function stateOf({ status, scheduledOutcome, statusSince, dueAt }: Claim): ClaimState {
  return { status, scheduledOutcome, statusSince, dueAt }
}

function isSameContent(recorded: LogEvent, submission: Submission): boolean {
  return (
    !recorded.system && recorded.type === submission.type && jsonEquals(recorded.payload, submission.payload)
  )
}
