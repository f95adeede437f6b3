import { ELAPSED_TIME } from '../calendars/working-time.ts'
import type { Contract } from '../contracts/contract.ts'
import { ClaimRun, type Decision } from './claim-run.ts'
import type { Submission } from './event.ts'
import type { ClaimState, Status, Transition } from './lifecycle.ts'

export interface TimedSubmission {
  at: Date
  submission: Submission
}

/** What happened to a simulated claim, in order. */
export type TimelineEntry =
  | { kind: 'event'; at: Date; submission: Submission; decision: Decision }
  | { kind: 'transition'; at: Date; from: Status; to: Status; because: TransitionCause }

type TransitionCause = { eventId: string } | { windowElapsed: 'activity_window' | 'review_window' }

export interface Simulation {
  timeline: TimelineEntry[]
  /** The state at `until`. Without `until`, the terminal state, or the state in which the clock stays stopped. */
  final: ClaimState
}

/**
 * Simulates a claim with the rules of the service. Events run in the order of their times; events of one instant keep
 * their order. Events after `until` are left out. Yields after each event.
 * @param calendar the working time of the contract's calendar, if it has one
 */
export function* simulate(
  contract: Contract,
  openedAt: Date,
  events: readonly TimedSubmission[],
  until: Date | null,
  calendar = ELAPSED_TIME,
): Generator<void, Simulation> {
  const run = new ClaimRun(contract, openedAt, calendar)
  const timeline: TimelineEntry[] = []
  const ordered = events
    .filter(({ at }) => until === null || at <= until)
    .sort((a, b) => a.at.getTime() - b.at.getTime())

  for (const { at, submission } of ordered) {
    timeline.push(...advance(run, at))
    const before = run.state.status
    const decision = run.submit(submission, at)
    const { status } = run.state
    timeline.push({ kind: 'event', at, submission, decision })
    if (status !== before) {
      timeline.push({ kind: 'transition', at, from: before, to: status, because: { eventId: submission.id } })
    }
    yield
  }
  timeline.push(...advance(run, until))
  return { timeline, final: run.state }
}

function advance(run: ClaimRun, time: Date | null): TimelineEntry[] {
  let from = run.state.status
  return run.advanceTo(time).map((transition) => {
    const entry = toEntry(from, transition)
    from = transition.state.status
    return entry
  })
}

function toEntry(from: Status, { state }: Transition): TimelineEntry {
  const windowElapsed = from === 'OPEN' ? 'activity_window' : 'review_window'
  return { kind: 'transition', at: state.statusSince, from, to: state.status, because: { windowElapsed } }
}
