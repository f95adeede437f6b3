import type { Contract } from './contract.ts'
import { type DecidableClaim, decideSubmission, type SubmissionDecision } from './decide-submission.ts'
import type { Submission } from './event.ts'
import { EventLog } from './event-log.ts'
import { type ClaimState, openState, type Transition } from './lifecycle.ts'
import { scheduledTransitions } from './scheduled-transitions.ts'

/**
 * One claim's life in memory, through the same decisions as the service's: events in the order of their times,
 * and between them the scheduled checks of every whole minute. At the same instant the check comes first.
 */
export class ClaimRun {
  readonly #log: EventLog
  #claim: DecidableClaim

  constructor(contract: Contract, openedAt: Date) {
    this.#log = new EventLog(contract.fulfillment_condition)
    this.#claim = { ...openState(contract, openedAt), contract, eventCount: 0, logBytes: 0 }
  }

  get state(): ClaimState {
    const { status, scheduledOutcome, statusSince, dueAt } = this.#claim
    return { status, scheduledOutcome, statusSince, dueAt }
  }

  /** Runs the checks up to and including the time; null for as long as it takes to be terminal. */
  advanceTo(time: Date | null): Transition[] {
    const transitions = scheduledTransitions(this.#claim, this.#claim.contract, time)
    const last = transitions.at(-1)
    if (last) {
      const eventCount = this.#claim.eventCount + transitions.length
      this.#claim = { ...this.#claim, ...last.state, eventCount }
    }
    return transitions
  }

  /** Submits an event at a time to which the run has advanced. */
  submit(submission: Submission, at: Date): SubmissionDecision {
    const decision = decideSubmission(this.#claim, this.#log, submission, at)
    if (decision.kind === 'append') {
      this.#claim = {
        ...this.#claim,
        ...decision.state,
        eventCount: this.#claim.eventCount + 1,
        logBytes: this.#claim.logBytes + submission.payloadBytes,
      }
    }
    return decision
  }
}
