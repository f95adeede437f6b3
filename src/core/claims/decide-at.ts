import { ELAPSED_TIME, type TimeMeasure } from '../calendars/working-time.ts'
import { compile } from '../contracts/compiled-condition.ts'
import type { Condition } from '../contracts/condition.ts'
import {
  type Contract,
  type EventTrigger,
  isExtended,
  timeOfWindow,
  windowMs,
} from '../contracts/contract.ts'
import { MAX_EVENTS, MAX_LOG_BYTES, MAX_PAYLOAD_BYTES } from '../limits.ts'
import type { Claim } from './claim.ts'
import type { Evidence, LogEvent, PlacedEvidence, Submission } from './event.ts'
import { EventLog } from './event-log.ts'
import { type ActivityClock, type ClaimState, isPaused, satisfied, stateAt } from './lifecycle.ts'

/*
 * Decides about an event at its time of recording, for every contract (§2.1a). For contracts that are not extended the
 * live service uses `decideSubmission`: these decisions do not depend on the time, so the database sets the time.
 */

/** The effect of an event on its claim. An event has at most one effect (§2.1a rule 5). */
export type Effect = 'satisfied' | 'resumed' | 'paused' | 'reversed' | 'restarted'

export type TimedDecision =
  | {
      kind: 'append'
      /** The log of the claim's new status, for further decisions. */
      log: EventLog
      state: ClaimState
      effect: Effect | null
      /** Milliseconds from the end of the window to the event; null if the event was in time (§2.1a rule 3). */
      lateMs: number | null
    }
  | { kind: 'not-open' }
  | { kind: 'log-full'; message: string }

type DecidableClaim = ClaimState & Pick<Claim, 'eventCount' | 'logBytes' | 'contract'>

/**
 * Decides from the log of the current status and the new event. The caller has checked that no event of the whole log
 * has the submission's id (`classifyRepeat`).
 * @param log of the events while OPEN, or of the events in review (`emptyLogOfStatus`)
 * @param at the time of recording
 * @param calendar the working time of the contract's calendar, if it has one
 */
export function decideAt(
  claim: DecidableClaim,
  log: EventLog,
  submission: Submission,
  at: Date,
  calendar = ELAPSED_TIME,
): TimedDecision {
  if (!acceptsEvents(claim)) return { kind: 'not-open' }
  const { contract } = claim
  const lateMs = lateMsAt(claim, at)
  const isIgnored = lateMs !== null && contract.strict_deadline === true
  const after = isIgnored ? log : log.with(submission)
  const effect = isIgnored ? null : effectOf(claim, after, submission, lateMs !== null)
  const message = logFullMessage(claim, submission, effect)
  if (message !== null) return { kind: 'log-full', message }
  return {
    kind: 'append',
    log: effect === 'satisfied' ? reviewLog(contract) : after,
    state: stateAfter(claim, effect, at, calendar),
    effect,
    lateMs,
  }
}

/** Whether the claim accepts events: while OPEN, and in a review whose scheduled outcome can be reversed (§2.1a). */
export const acceptsEvents = ({
  status,
  scheduledOutcome,
  contract,
}: Pick<Claim, 'status' | 'scheduledOutcome' | 'contract'>): boolean =>
  status === 'OPEN' ||
  (status === 'PENDING' && scheduledOutcome === 'CONFIRMED' && contract.review !== undefined)

/** Milliseconds from the end of the window to the time. Null if the time is before the end. */
const lateMsAt = ({ dueAt }: Pick<ClaimState, 'dueAt'>, at: Date): number | null =>
  dueAt !== null && at >= dueAt ? at.getTime() - dueAt.getTime() : null

/**
 * How late a recorded event was, in milliseconds; null if it was in time. It is stored for extended contracts only. Other
 * claims accept events only while OPEN, so it is computed from the times.
 */
export function lateMsOf(
  { contract, createdAt }: Pick<Claim, 'contract' | 'createdAt'>,
  event: Pick<LogEvent, 'createdAt' | 'lateMs'>,
): number | null {
  if (isExtended(contract)) return event.lateMs ?? null
  const lateMs = event.createdAt.getTime() - createdAt.getTime() - windowMs(contract.activity_window)
  return lateMs >= 0 ? lateMs : null
}

/**
 * The end of the window that follows from a recorded event; null while the clock is stopped. It replaces a computed end of
 * working time, because that depends on the time zone data of the day of the computation.
 */
export function dueAtAsStored(
  dueAt: Date | null,
  { lateMs, createdAt }: Pick<LogEvent, 'lateMs' | 'createdAt'>,
) {
  if (dueAt === null) return null
  const time = createdAt.getTime()
  return new Date(typeof lateMs === 'number' ? time - lateMs : Math.max(dueAt.getTime(), time + 1))
}

const NEVER: Condition = { op: 'OR', conditions: [] }

/** The empty log at the beginning of a review. */
const reviewLog = ({ review }: Contract): EventLog => new EventLog(review?.reversal_condition ?? NEVER)

/** The empty log of the current status. */
export const emptyLogOfStatus = ({ status, contract }: Pick<Claim, 'status' | 'contract'>): EventLog =>
  status === 'OPEN' ? new EventLog(contract.fulfillment_condition) : reviewLog(contract)

/**
 * The log of the current status. One step for each event: hundreds of sums may take a millisecond.
 * @param events events of the types that the conditions of the extended contract name, and system events
 */
export function* logOfStatus(
  claim: Pick<Claim, 'status' | 'contract' | 'reviewStart'>,
  events: readonly PlacedEvidence[],
): Generator<void, EventLog> {
  let log = emptyLogOfStatus(claim)
  for (const event of events.filter(countsInStatus(claim, events))) {
    log = log.with(event)
    yield
  }
  return log
}

/** Whether an event is part of the evaluation in the current status. @param events at least the system events */
export function countsInStatus(
  { contract, reviewStart }: Pick<Claim, 'contract' | 'reviewStart'>,
  events: readonly Pick<PlacedEvidence, 'seq' | 'system'>[],
): (event: Pick<PlacedEvidence, 'seq' | 'isLate'>) => boolean {
  // An OPEN claim has no system event. A claim in review has one if its activity window has elapsed.
  const start = reviewStart ?? events.find(({ system }) => system)?.seq ?? 0
  return ({ seq, isLate }) => seq > start && !(isLate && contract.strict_deadline === true)
}

function effectOf(claim: DecidableClaim, log: EventLog, event: Evidence, isLate: boolean): Effect | null {
  const { status, contract } = claim
  if (log.satisfiesCondition) return status === 'OPEN' ? 'satisfied' : 'reversed'
  if (isLate) return null
  const { review, clock } = contract
  if (status === 'PENDING') return triggers(review?.restart_on, event) ? 'restarted' : null
  if (isPaused(claim)) return triggers(clock?.resume_on, event) ? 'resumed' : null
  return triggers(clock?.pause_on, event) ? 'paused' : null
}

const triggers = (trigger: EventTrigger | undefined, event: Evidence): boolean =>
  trigger !== undefined && compile(trigger).leavesSatisfiedBy(event).length > 0

function stateAfter(
  claim: DecidableClaim,
  effect: Effect | null,
  at: Date,
  calendar: TimeMeasure,
): ClaimState {
  const { status, scheduledOutcome, statusSince, dueAt, clock, contract } = claim
  const state = { status, scheduledOutcome, statusSince, dueAt, ...(clock && { clock }) }
  switch (effect) {
    case 'satisfied':
      return {
        ...stateAt(satisfied(contract), at, timeOfWindow(contract, 'review', calendar)),
        ...(clock && { clock: null }),
      }
    case 'paused':
      return { ...state, dueAt: null, clock: { remainingMs: remainingMsAt(claim, at, calendar), since: at } }
    case 'resumed': {
      const remainingMs = remainingMsAt(claim, at, calendar)
      const time = timeOfWindow(contract, 'activity', calendar)
      const dueAt = new Date(time.endOfBudget(at.getTime(), remainingMs))
      return { ...state, dueAt, clock: { remainingMs, since: at } }
    }
    case 'reversed':
      return { ...state, scheduledOutcome: 'FAILED' }
    case 'restarted':
      return { ...state, dueAt: restartedDueAt(claim, at, calendar) }
    case null:
      return state
  }
}

/**
 * Milliseconds of the activity window that are left, of an OPEN claim that has a clock. Not negative: the time zone data may
 * have changed since the end of the window was computed.
 */
export function remainingMsAt(
  claim: Pick<DecidableClaim, 'status' | 'dueAt' | 'clock' | 'contract'>,
  at: Date,
  calendar = ELAPSED_TIME,
): number {
  const { remainingMs, since } = claim.clock as ActivityClock
  if (isPaused(claim)) return remainingMs
  const time = timeOfWindow(claim.contract, 'activity', calendar)
  return Math.max(0, remainingMs - time.workingMsBetween(since.getTime(), at.getTime()))
}

/** The end of a new review window: at most `max_duration` after the review began, and not before the current end. */
function restartedDueAt(
  { statusSince, dueAt, contract }: DecidableClaim,
  at: Date,
  calendar: TimeMeasure,
): Date {
  const time = timeOfWindow(contract, 'review', calendar)
  const end = time.endOfBudget(at.getTime(), windowMs(contract.review_window))
  const latest = statusSince.getTime() + windowMs(contract.review?.max_duration ?? 0)
  return new Date(Math.max(Math.min(end, latest), (dueAt as Date).getTime()))
}

/**
 * The last events of a log are reserved for events that reverse the outcome, or that resume or satisfy a stopped claim
 * (§2.1a rule 6).
 */
const RESERVED_EVENTS = 2

/** The error message if the log has no room for the event (§2.1a rule 6); null if it has room. */
function logFullMessage(
  claim: DecidableClaim,
  { payloadBytes }: Submission,
  effect: Effect | null,
): string | null {
  const { contract, eventCount, logBytes } = claim
  const mayUseReserved =
    effect === 'reversed' || effect === 'resumed' || (effect === 'satisfied' && isPaused(claim))
  const reservesEvents =
    contract.review?.reversal_condition !== undefined || contract.clock?.resume_on !== undefined
  const reserved = reservesEvents && !mayUseReserved ? RESERVED_EVENTS : 0
  const why =
    reserved > 0 ? '; the rest is kept for an event that reverses the outcome or continues the clock' : ''
  // If a scheduled check began the review, its system event may be one of the reserved events.
  const maxEvents = effect === 'reversed' ? MAX_EVENTS + 1 : MAX_EVENTS - reserved
  if (eventCount >= maxEvents) {
    return `The log holds ${maxEvents} events, the most that a claim takes${why}.`
  }
  const maxBytes = MAX_LOG_BYTES - reserved * MAX_PAYLOAD_BYTES
  return logBytes + payloadBytes > maxBytes
    ? `The log's payloads would exceed ${maxBytes} bytes${why}.`
    : null
}
