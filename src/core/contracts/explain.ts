import type { Interval } from '../calendars/calendar.ts'
import { ELAPSED_TIME, type TimeMeasure } from '../calendars/working-time.ts'
import type { Claim } from '../claims/claim.ts'
import { decideAt, dueAtAsStored, emptyLogOfStatus, remainingMsAt } from '../claims/decide-at.ts'
import {
  ACTIVITY_WINDOW_ELAPSED,
  type Evidence,
  type LogEvent,
  REVIEW_WINDOW_ELAPSED,
} from '../claims/event.ts'
import type { EventLog } from '../claims/event-log.ts'
import { type ActivityClock, isPaused, openState, pendingState, type Status } from '../claims/lifecycle.ts'
import { MAX_EXPLAINED_EVENTS, MAX_EXPLAINED_PERIODS } from '../limits.ts'
import {
  type AggregateValue,
  aggregateText,
  contributionOf,
  INITIAL_AGGREGATES,
  isAggregateSatisfied,
  withContribution,
} from './aggregate.ts'
import { compile } from './compiled-condition.ts'
import type { Condition, Leaf } from './condition.ts'
import { usesCalendar, windowMs } from './contract.ts'
import { type LogHint, LogHints } from './hints/log-hints.ts'

/** A node of the condition with its truth over the log. */
export type ExplainedCondition =
  | ExplainedLeaf
  | { op: 'AND' | 'OR'; satisfied: boolean; conditions: ExplainedCondition[] }
  | { op: 'NOT'; satisfied: boolean; condition: ExplainedCondition }

type ExplainedLeaf = Leaf & {
  satisfied: boolean
  /** The ids of the first events. Under an aggregate: of those that count. */
  satisfied_by: string[]
  /** The aggregate, an exact decimal. */
  value?: string
  /** Events of the type that match, and have no such value at the field. */
  left_out?: number
}

type Because = { eventId: string } | { windowElapsed: 'activity_window' | 'review_window'; eventId: string }

export interface ExplainedTransition {
  from: Status
  to: Status
  at: Date
  /** The submitted event that settled the claim, or the window that elapsed with its system event. */
  because: Because
}

/** The events of a review that can be reversed or restarted (§2.1a). */
export interface ExplainedReview {
  /** Over the events of the review. Null if the contract has none. */
  reversalCondition: ExplainedCondition | null
  reversedBy: { eventId: string; at: Date } | null
  /** The first restarts, each with the end of the window that it began. */
  restarts: { eventId: string; at: Date; dueAt: Date }[]
  restartCount: number
  dueAt: Date
  /** The end that no restart extends. Null if nothing restarts the review. */
  latestDueAt: Date | null
}

/** The periods in which the activity window ran (§2.1a). */
export interface ExplainedClock {
  /** The first periods in which the clock ran. */
  periods: RunningPeriod[]
  periodCount: number
  /** Null while the clock runs, and once the claim has left OPEN. */
  pausedSince: Date | null
  /** Milliseconds of the window that are left while the clock is stopped. */
  remainingMs: number | null
}

interface RunningPeriod {
  from: Date
  /** The event that continued the clock; null for the creation of the claim. */
  resumedBy: string | null
  /** When the clock stopped or the claim left OPEN; null while the clock runs. */
  to: Date | null
  /** The event that stopped the clock. */
  pausedBy: string | null
  /** Milliseconds of the window that were used up; null while the clock runs. */
  countedMs: number | null
}

/** A window to which the calendar applies, with the periods in which it ran. */
export interface WorkingWindow {
  window: 'activity_window' | 'review_window'
  /** At least one. The last one ends when the window is due if no event ended it before. */
  periods: Interval[]
}

/** A log item that may have caused a transition. */
export type Turn = Pick<LogEvent, 'id' | 'type' | 'system' | 'createdAt'>

/** An event of the log. The place in the log and the times matter to extended contracts only. */
type Shown = Evidence &
  Pick<LogEvent, 'id'> & {
    seq?: number
    createdAt?: Date
    lateMs?: number | null
  }

/** Explains which events satisfy each node of a claim's condition, and what caused the claim's transitions. */
export class Explanation {
  readonly #claim: Claim
  readonly #fulfillment: ConditionView
  /** `pause_on` and `resume_on`, for hints only. */
  readonly #triggers: ConditionView[]
  readonly #clock: ClockView | null
  readonly #review: ReviewView | null
  /** The item that made the claim PENDING. */
  readonly #start: (Turn & { seq: number }) | null
  readonly #calendar: TimeMeasure
  readonly #hints: LogHints

  /**
   * @param turns the items that made an extended claim PENDING and terminal (`transitions` of other contracts finds them)
   * @param calendar the working time of the contract's calendar, if it has one
   */
  constructor(claim: Claim, turns: readonly (Turn & { seq: number })[] = [], calendar = ELAPSED_TIME) {
    this.#claim = claim
    const { fulfillment_condition, clock } = claim.contract
    this.#fulfillment = new ConditionView(fulfillment_condition)
    this.#triggers = viewsOf(clock?.pause_on, clock?.resume_on)
    const [start] = turns
    this.#clock = clock ? new ClockView(claim, start?.createdAt ?? null, calendar) : null
    this.#start = start ?? null
    this.#calendar = calendar
    this.#review = claim.contract.review && start ? new ReviewView(claim, start, calendar) : null
    this.#hints = new LogHints(claim.contract)
  }

  /**
   * Adds events in the order of the log. Events of types that the contract does not name may be left out. Events that a
   * strict deadline excludes must be left out.
   */
  add(event: Shown): void {
    const isInReview = this.#start !== null && (event.seq ?? 0) > this.#start.seq
    if (isInReview) this.#review?.add(event)
    else {
      for (const view of [this.#fulfillment, ...this.#triggers]) view.add(event)
      this.#clock?.add(event)
    }
    this.#hints.add(event, this.#satisfied, isInReview ? 'review' : 'open')
  }

  /** @param ids of the first events of a type that the contract does not name */
  addType(type: string, ids: readonly string[]): void {
    this.#hints.addType(type, ids)
  }

  get #satisfied() {
    const views = [this.#fulfillment, ...this.#triggers, ...(this.#review?.conditions ?? [])]
    return { has: (leaf: Leaf) => views.some((view) => view.has(leaf)) }
  }

  /** Hints to the events so far. */
  get hints(): LogHint[] {
    return this.#hints.hints(this.#satisfied)
  }

  /** The tree with the truth of each node over the events until the claim left OPEN. */
  get condition(): ExplainedCondition {
    return this.#fulfillment.explained
  }

  /** Null before the review, and if the contract has no `review`. */
  get review(): ExplainedReview | null {
    return this.#review?.explained ?? null
  }

  /** Null if the contract has no `clock`. */
  get clock(): ExplainedClock | null {
    return this.#clock?.explained ?? null
  }

  /** The windows to which the calendar applies and that have begun. */
  get workingWindows(): WorkingWindow[] {
    const { contract } = this.#claim
    const windows: WorkingWindow[] = []
    if (this.#clock && usesCalendar(contract, 'activity'))
      windows.push({ window: 'activity_window', periods: this.#clock.intervals })
    if (this.#start && usesCalendar(contract, 'review')) {
      const startMs = this.#start.createdAt.getTime()
      const periods = [{ startMs, endMs: this.#reviewDueAt(this.#start).getTime() }]
      windows.push({ window: 'review_window', periods })
    }
    return windows
  }

  #reviewDueAt(start: Turn): Date {
    if (this.#review) return this.#review.explained.dueAt
    const { contract, status, dueAt } = this.#claim
    const computed = pendingState(contract, !start.system, start.createdAt, this.#calendar).dueAt
    return (status === 'PENDING' ? dueAt : computed) as Date
  }

  /** The transitions so far. @param turns the items that caused them, or the last two items of the log */
  transitions(turns: readonly Turn[]): ExplainedTransition[] {
    return explainTransitions(this.#claim, turns)
  }
}

/** A condition over the events that were added. */
class ConditionView {
  readonly #condition: Condition
  readonly #satisfiedBy = new Map<Leaf, string[]>()
  readonly #values = new Map<Leaf, AggregateValue>()
  readonly #leftOut = new Map<Leaf, number>()

  constructor(condition: Condition) {
    this.#condition = condition
  }

  add(event: Shown): void {
    for (const leaf of compile(this.#condition).leavesSatisfiedBy(event)) {
      if (leaf.aggregate !== undefined && !this.#addTo(leaf, event)) continue
      const ids = this.#satisfiedBy.get(leaf)
      if (!ids) this.#satisfiedBy.set(leaf, [event.id])
      else if (ids.length < MAX_EXPLAINED_EVENTS) ids.push(event.id)
    }
  }

  /** Whether the event counts. */
  #addTo(leaf: Leaf, { payload }: Shown): boolean {
    const contribution = contributionOf(leaf, payload)
    if (contribution === null) this.#leftOut.set(leaf, (this.#leftOut.get(leaf) ?? 0) + 1)
    else this.#values.set(leaf, withContribution(this.#valueOf(leaf), contribution))
    return contribution !== null
  }

  #valueOf = (leaf: Leaf): AggregateValue =>
    this.#values.get(leaf) ?? INITIAL_AGGREGATES[leaf.aggregate ?? 'count']

  /** Whether an event satisfies the leaf, or counts for it. */
  has(leaf: Leaf): boolean {
    return this.#satisfiedBy.has(leaf)
  }

  get explained(): ExplainedCondition {
    return this.#explain(this.#condition)
  }

  #explain(condition: Condition): ExplainedCondition {
    if (!('op' in condition)) return this.#explainLeaf(condition)
    if (condition.op === 'NOT') {
      const child = this.#explain(condition.condition)
      return { op: 'NOT', satisfied: !child.satisfied, condition: child }
    }
    const conditions = condition.conditions.map((child) => this.#explain(child))
    const isTrue = (child: ExplainedCondition) => child.satisfied
    const satisfied = condition.op === 'AND' ? conditions.every(isTrue) : conditions.some(isTrue)
    return { op: condition.op, satisfied, conditions }
  }

  #explainLeaf(leaf: Leaf): ExplainedLeaf {
    const satisfied_by = this.#satisfiedBy.get(leaf) ?? []
    if (leaf.aggregate === undefined) return { ...leaf, satisfied: satisfied_by.length > 0, satisfied_by }
    const value = this.#valueOf(leaf)
    return {
      ...leaf,
      satisfied: isAggregateSatisfied(leaf, value),
      satisfied_by,
      value: aggregateText(value),
      left_out: this.#leftOut.get(leaf) ?? 0,
    }
  }
}

const viewsOf = (...conditions: (Condition | undefined)[]): ConditionView[] =>
  conditions.filter((condition) => condition !== undefined).map((condition) => new ConditionView(condition))

/** Replays the clock of a claim while OPEN, event by event. */
class ClockView {
  readonly #leftOpenAt: Date | null
  readonly #calendar: TimeMeasure
  readonly #stored: Pick<Claim, 'status' | 'dueAt' | 'clock'>
  readonly #periods: RunningPeriod[] = []
  /** Of all periods that have ended. */
  readonly #intervals: Interval[] = []
  #periodCount = 0
  #last: RunningPeriod
  #claim: Parameters<typeof decideAt>[0]
  #log: EventLog

  /** @param leftOpenAt null while the claim is OPEN */
  constructor(claim: Claim, leftOpenAt: Date | null, calendar: TimeMeasure) {
    const { contract, createdAt } = claim
    this.#leftOpenAt = leftOpenAt
    this.#calendar = calendar
    this.#stored = claim
    this.#claim = { ...openState(contract, createdAt, calendar), contract, eventCount: 0, logBytes: 0 }
    this.#log = emptyLogOfStatus(this.#claim)
    this.#last = this.#begin(createdAt, null)
  }

  add(event: Shown): void {
    const at = event.createdAt as Date
    const claim = { ...this.#claim, dueAt: dueAtAsStored(this.#claim.dueAt, { ...event, createdAt: at }) }
    const decision = decideAt(claim, this.#log, { ...event, payloadBytes: 0 }, at, this.#calendar)
    if (decision.kind !== 'append') return
    const { log, state, effect } = decision
    this.#log = log
    if (effect === null) return
    if (effect === 'paused') this.#end(at, event.id)
    if (effect === 'resumed') this.#last = this.#begin(at, event.id)
    if (effect === 'satisfied') this.#end(at, null)
    this.#claim = { ...this.#claim, ...state }
  }

  #begin(from: Date, resumedBy: string | null): RunningPeriod {
    const period = { from, resumedBy, to: null, pausedBy: null, countedMs: null }
    this.#periodCount++
    if (this.#periods.length < MAX_EXPLAINED_PERIODS) this.#periods.push(period)
    return period
  }

  #end(at: Date, pausedBy: string | null): void {
    if (this.#last.to !== null) return
    this.#intervals.push(this.#intervalUntil(at, this.#claim.dueAt as Date))
    Object.assign(this.#last, this.#endAt(at, pausedBy))
  }

  /** Counts at most the remaining time: a window that elapsed was used up before its check. */
  #endAt(to: Date, pausedBy: string | null) {
    const left = (this.#claim.clock as ActivityClock).remainingMs
    const countedMs = left - remainingMsAt({ ...this.#claim, dueAt: to }, to, this.#calendar)
    return { to, pausedBy, countedMs }
  }

  #intervalUntil(at: Date, dueAt: Date): Interval {
    return { startMs: this.#last.from.getTime(), endMs: Math.min(at.getTime(), dueAt.getTime()) }
  }

  /** When the clock ran, or runs until the window is due. */
  get intervals(): Interval[] {
    if (this.#leftOpenAt !== null) this.#end(this.#leftOpenAt, null)
    const { dueAt } = this.#stored
    const isRunning = this.#last.to === null && dueAt !== null
    return isRunning ? [...this.#intervals, this.#intervalUntil(dueAt, dueAt)] : this.#intervals
  }

  get explained(): ExplainedClock {
    if (this.#leftOpenAt !== null) this.#end(this.#leftOpenAt, null)
    const { clock } = this.#stored
    const isStopped = isPaused(this.#stored) && clock
    return {
      periods: this.#periods,
      periodCount: this.#periodCount,
      pausedSince: isStopped ? clock.since : null,
      remainingMs: isStopped ? clock.remainingMs : null,
    }
  }
}

/** Replays a review from its beginning, event by event. */
class ReviewView {
  readonly conditions: ConditionView[]
  readonly #hasReversal: boolean
  readonly #latestDueAt: Date | null
  readonly #restarts: ExplainedReview['restarts'] = []
  #restartCount = 0
  #reversedBy: ExplainedReview['reversedBy'] = null
  readonly #calendar: TimeMeasure
  /** The stored end of a review in progress. */
  readonly #storedDueAt: Date | null
  #claim: Parameters<typeof decideAt>[0]
  #log: EventLog

  constructor({ contract, status, dueAt }: Claim, start: Turn, calendar: TimeMeasure) {
    this.#calendar = calendar
    this.#storedDueAt = status === 'PENDING' ? dueAt : null
    const { reversal_condition, restart_on, max_duration } = contract.review ?? {}
    this.#hasReversal = reversal_condition !== undefined
    this.conditions = viewsOf(reversal_condition, restart_on)
    this.#latestDueAt =
      max_duration === undefined ? null : new Date(start.createdAt.getTime() + windowMs(max_duration))
    const state = pendingState(contract, !start.system, start.createdAt, calendar)
    this.#claim = { ...state, contract, eventCount: 0, logBytes: 0 }
    this.#log = emptyLogOfStatus(this.#claim)
  }

  add(event: Shown): void {
    for (const condition of this.conditions) condition.add(event)
    const at = event.createdAt as Date
    const submission = { ...event, payloadBytes: 0 }
    const decision = decideAt(this.#claim, this.#log, submission, at, this.#calendar)
    if (decision.kind !== 'append') return
    const { state, log, effect } = decision
    this.#claim = { ...this.#claim, ...state }
    this.#log = log
    if (effect === 'reversed') this.#reversedBy = { eventId: event.id, at }
    if (effect !== 'restarted') return
    this.#restartCount++
    if (this.#restarts.length < MAX_EXPLAINED_EVENTS)
      this.#restarts.push({ eventId: event.id, at, dueAt: state.dueAt as Date })
  }

  get explained(): ExplainedReview {
    return {
      reversalCondition: this.#hasReversal ? (this.conditions[0] as ConditionView).explained : null,
      reversedBy: this.#reversedBy,
      restarts: this.#restarts,
      restartCount: this.#restartCount,
      dueAt: this.#storedDueAt ?? (this.#claim.dueAt as Date),
      latestDueAt: this.#latestDueAt,
    }
  }
}

/**
 * A claim leaves OPEN by an event or at the end of the activity window, and leaves PENDING at the end of the review window.
 * If the claim takes no events in review, the items of these transitions are the last ones of the log.
 */
function explainTransitions(claim: Claim, turns: readonly Turn[]): ExplainedTransition[] {
  if (claim.status === 'OPEN') return []
  const timeout = turns.find((event) => event.system && event.type === ACTIVITY_WINDOW_ELAPSED)
  const settling = turns.findLast((event) => !event.system)
  const first = timeout ?? settling
  if (!first) throw new Error('a claim left OPEN without an event')
  const toPending: ExplainedTransition = {
    from: 'OPEN',
    to: 'PENDING',
    at: first.createdAt,
    because: timeout ? { windowElapsed: 'activity_window', eventId: first.id } : { eventId: first.id },
  }
  const review = turns.find((event) => event.system && event.type === REVIEW_WINDOW_ELAPSED)
  if (!review) return [toPending]
  const because: Because = { windowElapsed: 'review_window', eventId: review.id }
  return [toPending, { from: 'PENDING', to: claim.status, at: review.createdAt, because }]
}
