import { type CheckTerms, type Contract, windowMs } from './contract.ts'
import { ACTIVITY_WINDOW_ELAPSED, REVIEW_WINDOW_ELAPSED } from './event.ts'

/** §3. CONFIRMED and FAILED are terminal (§3 rule 4). */
export const STATUSES = ['OPEN', 'PENDING', 'CONFIRMED', 'FAILED'] as const
export type Status = (typeof STATUSES)[number]
export type Outcome = 'CONFIRMED' | 'FAILED'

/** Where a claim stands. `dueAt`: when the current window elapses; null in a terminal state. */
export interface ClaimState {
  status: Status
  scheduledOutcome: Outcome | null
  statusSince: Date
  dueAt: Date | null
}

/** A transition at a scheduled check, with the system event that goes into the log. */
export interface Transition {
  state: ClaimState
  systemEventType: typeof ACTIVITY_WINDOW_ELAPSED | typeof REVIEW_WINDOW_ELAPSED
}

/** The state of a new claim. */
export function openState(contract: Contract, now: Date): ClaimState {
  return {
    status: 'OPEN',
    scheduledOutcome: null,
    statusSince: now,
    dueAt: after(now, contract.activity_window),
  }
}

/** §3, first row: the state after an event was added to the log of an OPEN claim, which satisfies it or not. */
export function afterSubmission(
  state: ClaimState,
  contract: Contract,
  isSatisfied: boolean,
  now: Date,
): ClaimState {
  return isSatisfied ? pending('CONFIRMED', contract, now) : state
}

/**
 * §3, the rows of the scheduled check: the transition that the check at `checkTime` makes, or null.
 * A claim makes one transition a check: one that entered its state at this check or later is passed over.
 * An event may have been recorded between the check's minute and its run (`lastEventAt`): the state begins
 * no earlier than that event, so that the log's times tell one story.
 * @param terms only an OPEN claim's matter; null otherwise
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
    return { state: pending(timeoutOutcome(terms), terms, at), systemEventType: ACTIVITY_WINDOW_ELAPSED }
  }
  const outcome = state.scheduledOutcome as Outcome
  return {
    state: { status: outcome, scheduledOutcome: outcome, statusSince: at, dueAt: null },
    systemEventType: REVIEW_WINDOW_ELAPSED,
  }
}

/** What the contract schedules when the activity window elapses. */
function timeoutOutcome(terms: Pick<Contract, 'timeout_outcome'>): Outcome {
  return terms.timeout_outcome === 'confirm' ? 'CONFIRMED' : 'FAILED'
}

function pending(outcome: Outcome, terms: Pick<Contract, 'review_window'>, at: Date): ClaimState {
  return {
    status: 'PENDING',
    scheduledOutcome: outcome,
    statusSince: at,
    dueAt: after(at, terms.review_window),
  }
}

const after = (time: Date, seconds: number) => new Date(time.getTime() + windowMs(seconds))
