import type { Claim } from './claim.ts'
import { type LogEvent, MAX_EVENTS, MAX_LOG_BYTES, type Submission } from './event.ts'
import type { EventLog } from './event-log.ts'
import { jsonEquals } from './json.ts'
import { afterSubmission, type ClaimState } from './lifecycle.ts'

/** What to do with a submission to a claim, given its log. */
export type SubmissionDecision =
  | { kind: 'append'; event: LogEvent; state: ClaimState }
  | { kind: 'replay'; event: LogEvent }
  | { kind: 'id-conflict' }
  | { kind: 'not-open' }
  | { kind: 'log-full'; message: string }

/** What a decision needs to know of a claim. */
export type DecidableClaim = ClaimState & Pick<Claim, 'contract' | 'eventCount' | 'logBytes'>

/**
 * `log` holds at least the events that can matter: those of the types that the condition names, and the one
 * with the submission's id. An event that is to be appended has been added to it. A repeated id is looked at
 * before the status: a client can always retry.
 */
export function decideSubmission(
  claim: DecidableClaim,
  log: EventLog,
  submission: Submission,
  now: Date,
): SubmissionDecision {
  const recorded = log.find(submission.id)
  if (recorded) {
    return isSameContent(recorded, submission) ? { kind: 'replay', event: recorded } : { kind: 'id-conflict' }
  }
  if (claim.status !== 'OPEN') return { kind: 'not-open' }
  if (claim.eventCount >= MAX_EVENTS) {
    return { kind: 'log-full', message: `The log holds ${MAX_EVENTS} events, the most that a claim takes.` }
  }
  if (claim.logBytes + submission.payloadBytes > MAX_LOG_BYTES) {
    return { kind: 'log-full', message: `The log's payloads would exceed ${MAX_LOG_BYTES} bytes.` }
  }
  const { id, type, payload } = submission
  const event: LogEvent = { id, type, payload, system: false, createdAt: now }
  log.add(event)
  const { status, scheduledOutcome, statusSince, dueAt } = claim
  const state: ClaimState = { status, scheduledOutcome, statusSince, dueAt }
  return { kind: 'append', event, state: afterSubmission(state, claim.contract, log.satisfiesCondition, now) }
}

function isSameContent(recorded: LogEvent, submission: Submission): boolean {
  return (
    !recorded.system && recorded.type === submission.type && jsonEquals(recorded.payload, submission.payload)
  )
}
