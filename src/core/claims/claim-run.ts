import { ELAPSED_TIME, type TimeMeasure } from '../calendars/working-time.ts'
import { type CheckTerms, type Contract, timeOfWindow } from '../contracts/contract.ts'
import type { Claim } from './claim.ts'
import { decideAt, type Effect, emptyLogOfStatus, type TimedDecision } from './decide-at.ts'
import { classifyRepeat } from './decide-submission.ts'
import type { LogEvent, Submission } from './event.ts'
import { eventOf } from './event.ts'
import type { EventLog } from './event-log.ts'
import { type ClaimState, openState, scheduledTransitions, type Transition } from './lifecycle.ts'

/** The decision about a submission, also if its id is in the log already. */
export type Decision =
  | { kind: 'append'; event: LogEvent; effect: Effect | null; lateMs: number | null }
  | { kind: 'replay' | 'id-conflict' }
  | Exclude<TimedDecision, { kind: 'append' }>

/**
 * Runs one claim in memory with the rules of the service: events in the order of their times, and the scheduled checks of
 * every whole minute between them. At the same instant the check comes first.
 */
export class ClaimRun {
  readonly #calendar: TimeMeasure
  readonly #terms: CheckTerms
  #log: EventLog
  readonly #recorded = new Map<string, LogEvent>()
  #claim: ClaimState & Pick<Claim, 'contract' | 'eventCount' | 'logBytes'>

  /** @param calendar the working time of the contract's calendar, if it has one */
  constructor(contract: Contract, openedAt: Date, calendar = ELAPSED_TIME) {
    this.#calendar = calendar
    this.#terms = { ...contract, reviewTime: timeOfWindow(contract, 'review', calendar) }
    this.#claim = { ...openState(contract, openedAt, calendar), contract, eventCount: 0, logBytes: 0 }
    this.#log = emptyLogOfStatus(this.#claim)
  }

  get state(): ClaimState {
    const { status, scheduledOutcome, statusSince, dueAt, clock } = this.#claim
    return { status, scheduledOutcome, statusSince, dueAt, ...(clock && { clock }) }
  }

  /** Runs the checks up to and including the time; null: until the claim is terminal or its activity clock is stopped (§2.1a). */
  advanceTo(time: Date | null): Transition[] {
    const transitions = scheduledTransitions(this.#claim, this.#terms, time)
    const last = transitions.at(-1)
    if (last) {
      const eventCount = this.#claim.eventCount + transitions.length
      const { contract, logBytes } = this.#claim
      this.#claim = { ...last.state, contract, eventCount, logBytes }
      this.#log = emptyLogOfStatus(this.#claim)
    }
    return transitions
  }

  /** Submits an event at a time to which the run has advanced. */
  submit(submission: Submission, at: Date): Decision {
    const recorded = this.#recorded.get(submission.id)
    if (recorded) return { kind: classifyRepeat(recorded, submission) }
    const decision = decideAt(this.#claim, this.#log, submission, at, this.#calendar)
    if (decision.kind !== 'append') return decision

    const { log, state, effect, lateMs } = decision
    this.#log = log
    const event = eventOf(submission, at)
    this.#recorded.set(submission.id, event)
    const { contract, eventCount, logBytes } = this.#claim
    this.#claim = {
      ...state,
      contract,
      eventCount: eventCount + 1,
      logBytes: logBytes + submission.payloadBytes,
    }
    return { kind: 'append', event, effect, lateMs }
  }
}
