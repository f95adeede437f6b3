import { MINUTE_MS } from '../../kernel/durations.ts'
import { ELAPSED_TIME } from '../calendars/working-time.ts'
import { type CheckTerms, type Contract, timeOfWindow, windowMs } from '../contracts/contract.ts'
import { ACTIVITY_WINDOW_ELAPSED, REVIEW_WINDOW_ELAPSED } from './event.ts'

/** §3. CONFIRMED and FAILED are terminal (§3 rule 4). */
export const STATUSES = ['OPEN', 'PENDING', 'CONFIRMED', 'FAILED'] as const
export type Status = (typeof STATUSES)[number]
export type Outcome = 'CONFIRMED' | 'FAILED'

/** The part of a claim that transitions change. */
export interface ClaimState {
  status: Status
  scheduledOutcome: Outcome | null
  statusSince: Date
  /** When the current window elapses; null in a terminal state, and while the clock is stopped. */
  dueAt: Date | null
  /** Present only for an OPEN claim whose contract can stop its clock. */
  clock?: ActivityClock | null
}

/** How much of the activity window is left (§2.1a). The clock runs if the claim has a `dueAt`, else it is stopped. */
export interface ActivityClock {
  /** Milliseconds of the window that were left at `since`. */
  remainingMs: number
  /** When the clock last started or stopped. */
  since: Date
}

/** A change of the state at a time that is not known yet. `stateAt` computes the times. */
export interface Change extends Pick<ClaimState, 'status' | 'scheduledOutcome'> {
  /** The length of the window that begins; null in a terminal state. */
  windowMs: number | null
}

/** A transition at a scheduled check, with the system event that goes into the log. */
export interface Transition {
  state: ClaimState
  systemEventType: typeof ACTIVITY_WINDOW_ELAPSED | typeof REVIEW_WINDOW_ELAPSED
}

/** The state of a claim after a change at a time. @param time how time passes for the window that begins */
export const stateAt = (
  { status, scheduledOutcome, windowMs }: Change,
  at: Date,
  time = ELAPSED_TIME,
): ClaimState => ({
  status,
  scheduledOutcome,
  statusSince: at,
  dueAt: windowMs === null ? null : new Date(time.endOfBudget(at.getTime(), windowMs)),
})

/** The state of a new claim. @param calendar the working time of the contract's calendar, if it has one */
export function openState(contract: Contract, now: Date, calendar = ELAPSED_TIME): ClaimState {
  const change: Change = {
    status: 'OPEN',
    scheduledOutcome: null,
    windowMs: windowMs(contract.activity_window),
  }
  return {
    ...stateAt(change, now, timeOfWindow(contract, 'activity', calendar)),
    ...(contract.clock && { clock: { remainingMs: windowMs(contract.activity_window), since: now } }),
  }
}

/** Whether the claim's clock is stopped. Such a claim has no due time. */
export const isPaused = ({ status, dueAt }: Pick<ClaimState, 'status' | 'dueAt'>): boolean =>
  status === 'OPEN' && dueAt === null

/** §3, first row: the change of an OPEN claim when an event satisfies the condition. */
export const satisfied = (terms: Pick<Contract, 'review_window'>): Change => pending('CONFIRMED', terms)

/**
 * The state of a claim that becomes PENDING: by an event that satisfies the condition, or because the window elapsed.
 * @param calendar the working time of the contract's calendar, if it has one
 */
export const pendingState = (
  contract: Contract,
  isByEvent: boolean,
  at: Date,
  calendar = ELAPSED_TIME,
): ClaimState =>
  stateAt(
    isByEvent ? satisfied(contract) : pending(timeoutOutcome(contract), contract),
    at,
    timeOfWindow(contract, 'review', calendar),
  )

/**
 * §3, the rows of the scheduled check: the transition that the check at `checkTime` makes, or null. A check makes at most
 * one transition of a claim, so it skips a claim that entered its state at this check or later. An event may be recorded
 * between `checkTime` and the run of the check (`lastEventAt`). The new state begins no earlier than that event, so that
 * times in the log never decrease.
 * @param terms of an OPEN claim; null for other claims, whose transition does not depend on them
 */
export function atScheduledCheck(
  state: ClaimState,
  terms: CheckTerms | null,
  checkTime: Date,
  lastEventAt: Date | null,
): Transition | null {
  if (state.dueAt === null || state.dueAt > checkTime || state.statusSince >= checkTime) return null
  const at = lastEventAt !== null && lastEventAt > checkTime ? lastEventAt : checkTime

  if (state.status === 'OPEN') {
    if (terms === null) throw new Error('an OPEN claim is checked without its terms')
    const change = pending(timeoutOutcome(terms), terms)
    return { state: stateAt(change, at, terms.reviewTime), systemEventType: ACTIVITY_WINDOW_ELAPSED }
  }
  const change = resolved(state.scheduledOutcome as Outcome)
  return { state: stateAt(change, at), systemEventType: REVIEW_WINDOW_ELAPSED }
}

/** The scheduled outcome when the activity window elapses. */
function timeoutOutcome(terms: Pick<Contract, 'timeout_outcome'>): Outcome {
  return terms.timeout_outcome === 'confirm' ? 'CONFIRMED' : 'FAILED'
}

const pending = (outcome: Outcome, terms: Pick<Contract, 'review_window'>): Change => ({
  status: 'PENDING',
  scheduledOutcome: outcome,
  windowMs: windowMs(terms.review_window),
})

const resolved = (outcome: Outcome): Change => ({
  status: outcome,
  scheduledOutcome: outcome,
  windowMs: null,
})

/* Scheduled checks run at each whole minute (§3 rule 1). */

/** The first check at this time or after it. */
export const checkAtOrAfter = (time: Date): Date =>
  new Date(Math.ceil(time.getTime() / MINUTE_MS) * MINUTE_MS)

/** The last check before this time or at it. */
export const checkAtOrBefore = (time: Date): Date =>
  new Date(Math.floor(time.getTime() / MINUTE_MS) * MINUTE_MS)

/** The first check after this time. */
export const checkAfter = (time: Date): Date =>
  new Date((Math.floor(time.getTime() / MINUTE_MS) + 1) * MINUTE_MS)

/** The time of the check `count` checks earlier. */
export const checksBefore = (check: Date, count: number): Date =>
  new Date(check.getTime() - count * MINUTE_MS)

/**
 * The transitions that the scheduled checks of every whole minute up to and including `until` make, in their
 * order. With null: all until the claim is terminal, or none while its clock is stopped. A check moves a claim at the
 * first whole minute at or after `dueAt` and after the claim entered its state, so the minutes in between are skipped.
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

/** The minute whose check moves the claim if no event does; null if it is after `until`, or if nothing is due. */
function nextCheckTime({ dueAt, statusSince }: ClaimState, until: Date | null): Date | null {
  // Fast path: simulations call this for each event, and mostly the window has not elapsed.
  if (dueAt === null || (until !== null && dueAt.getTime() > until.getTime())) return null
  const [due, afterEntering] = [checkAtOrAfter(dueAt), checkAfter(statusSince)]
  const checkTime = due > afterEntering ? due : afterEntering
  return until !== null && checkTime > until ? null : checkTime
}
