import { jsonEquals, parsed, RawJson } from '../../kernel/json.ts'
import { MAX_EVENTS, MAX_LOG_BYTES } from '../limits.ts'
import type { Claim } from './claim.ts'
import type { LogEvent, Submission } from './event.ts'
import type { EventLog } from './event-log.ts'
import { type Change, satisfied } from './lifecycle.ts'

/** The decision about a submission whose id is new to the claim. */
export type SubmissionDecision =
  /** `log` includes the event. `becomes` is the change of the state, if the condition holds with the event. */
  | { kind: 'append'; log: EventLog; becomes: Change | null }
  | { kind: 'not-open' }
  | { kind: 'log-full'; message: string }

/** The fields of a claim that a decision needs. */
type DecidableClaim = Pick<Claim, 'status' | 'eventCount' | 'logBytes' | 'contract'>

/**
 * Decides from the whole log and the new event (§2.2 rule 1). The caller has checked that no event of the log has the
 * submission's id (`classifyRepeat`).
 */
export function decideSubmission(
  claim: DecidableClaim,
  log: EventLog,
  submission: Submission,
): SubmissionDecision {
  if (claim.status !== 'OPEN') return { kind: 'not-open' }
  if (claim.eventCount >= MAX_EVENTS) {
    return { kind: 'log-full', message: `The log holds ${MAX_EVENTS} events, the most that a claim takes.` }
  }
  if (claim.logBytes + submission.payloadBytes > MAX_LOG_BYTES) {
    return { kind: 'log-full', message: `The log's payloads would exceed ${MAX_LOG_BYTES} bytes.` }
  }
  const after = log.with(submission)
  return { kind: 'append', log: after, becomes: after.satisfiesCondition ? satisfied(claim.contract) : null }
}

/**
 * The decision about a submission whose id is in the log already, in any status. The same event is a replay, so a client
 * can always retry. Another event with that id is a conflict.
 */
export function classifyRepeat(recorded: LogEvent, submission: Submission): 'replay' | 'id-conflict' {
  const isSame = !recorded.system && recorded.type === submission.type && hasSamePayload(recorded, submission)
  return isSame ? 'replay' : 'id-conflict'
}

/** Does not parse equal texts. */
const hasSamePayload = ({ payload: recorded }: LogEvent, { payload }: Submission): boolean =>
  (recorded instanceof RawJson && payload instanceof RawJson && recorded.text === payload.text) ||
  jsonEquals(parsed(recorded), parsed(payload))
