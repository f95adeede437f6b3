import type { ExtendedAppend } from '../../claims/write/append-extended-store.ts'
import type { TimeMeasure } from '../../core/calendars/working-time.ts'
import type { Claim } from '../../core/claims/claim.ts'
import { acceptsEvents, decideAt, type Effect } from '../../core/claims/decide-at.ts'
import type { LogEvent } from '../../core/claims/event.ts'
import type { EventLog } from '../../core/claims/event-log.ts'
import { isPaused } from '../../core/claims/lifecycle.ts'
import { reminderTimes } from '../../core/claims/reminder-times.ts'
import { needsEventIds } from '../../core/contracts/contract.ts'
import { ServiceError } from '../../kernel/errors.ts'
import { type ClaimNotification, notificationOf, notificationOfEvent } from '../../outbox/outbox-store.ts'
import { addIds, type ClaimSnapshot } from './claim-cache.ts'
import { claimNotOpen, type Decided, PendingDecision, refused } from './pending-decision.ts'
import type { EventRequest, PendingSubmission } from './pending-submission.ts'

/** A decision about a claim of an extended contract, at the time of recording (§2.1a). */
export class ExtendedDecision extends PendingDecision {
  /** The time of recording. Not before the last item of the log, even if the clock was set back. */
  readonly at: Date
  /** Whether a decision depended on the log, so the log must have been read. */
  usesLog = false
  #continuesClock = false
  /** Computed with the decision: with a calendar each takes tens of microseconds, and a write may have many claims. */
  #reminderTimes: readonly Date[] | null = null
  /** The claim and its log after the submissions so far. Each submission makes a new claim object for its answer. */
  #claim: Claim
  #log: EventLog
  readonly #calendar: TimeMeasure
  readonly #lateMs = new Map<EventRequest, number | null>()
  readonly #notifications: ClaimNotification[] = []

  private constructor(
    snapshot: ClaimSnapshot,
    recordedIds: ReadonlySet<string>,
    maxAdded: number,
    now: Date,
    calendar: TimeMeasure,
  ) {
    super(snapshot, recordedIds, maxAdded)
    this.#calendar = calendar
    this.at = snapshot.lastAt > now ? snapshot.lastAt : now
    this.#claim = snapshot.claim
    this.#log = snapshot.log
  }

  /**
   * One step per submission: a condition may have hundreds of aggregates.
   * @param now the time of the claim's clock
   * @param calendar the working time of the contract's calendar, if it has one
   */
  static *at(
    now: Date,
    calendar: TimeMeasure,
    snapshot: ClaimSnapshot,
    submissions: readonly PendingSubmission[],
    recordedIds: ReadonlySet<string>,
  ): Generator<void, ExtendedDecision> {
    const decision = new ExtendedDecision(snapshot, recordedIds, submissions.length, now, calendar)
    yield* decision.decide(submissions)
    decision.#reminderTimes = decision.#timesOfReminders()
    return decision
  }

  /** The write, if `writes`. */
  get extendedAppend(): ExtendedAppend {
    return {
      seen: this.snapshot.claim,
      becomes: this.#claim,
      reminderTimes: this.#reminderTimes,
      at: this.at,
      events: this.added.map((request) => ({ ...request, lateMs: this.#lateMsOf(request) })),
      notifications: this.#notifications,
    }
  }

  /** False: the claim takes no more events, so the cache does not need the snapshot. */
  protected override updateSnapshot(at: Date | null): boolean {
    if (!acceptsEvents(this.#claim)) return false
    const { snapshot } = this
    addIds(
      snapshot,
      this.added.map(({ submission }) => submission.id),
    )
    snapshot.claim = this.#claim
    snapshot.log = this.#log
    snapshot.lastAt = at ?? snapshot.lastAt
    return true
  }

  protected override get claimNow(): Claim {
    return this.#claim
  }

  protected override eventOf(request: EventRequest, createdAt: Date): LogEvent {
    return { ...super.eventOf(request, createdAt), lateMs: this.#lateMsOf(request) }
  }

  protected override decideNew(pending: PendingSubmission): Decided {
    const { request } = pending
    const before = this.#claim
    if (request.hasMadeId && needsEventIds(before.contract)) return refused(pending, idRequired())
    const decision = decideAt(before, this.#log, request.submission, this.at, this.#calendar)
    this.usesLog ||= decision.kind !== 'not-open'
    switch (decision.kind) {
      case 'append': {
        const { state, effect, lateMs } = decision
        const eventCount = before.eventCount + 1
        const logBytes = before.logBytes + request.submission.payloadBytes
        const reviewStart = effect === 'satisfied' ? eventCount : before.reviewStart
        this.#claim = { ...before, ...state, eventCount, logBytes, reviewStart }
        this.#log = decision.log
        this.#lateMs.set(request, lateMs)
        this.#continuesClock ||= effect === 'resumed'
        this.#notify(before, effect)
        this.add(request)
        return { pending, kind: 'append', claim: this.#claim }
      }
      case 'not-open':
        return refused(pending, claimNotOpen(request.address, before.status))
      case 'log-full':
        return refused(pending, new ServiceError('EVENT_LIMIT_REACHED', decision.message))
    }
  }

  #timesOfReminders(): Date[] | null {
    const { reminders, contract, clock } = this.#claim
    if (!this.#continuesClock || !reminders || !clock || isPaused(this.#claim)) return null
    return reminderTimes(reminders, contract, clock, this.#calendar)
  }

  #notify(before: Claim, effect: Effect | null): void {
    const { id, eventCount } = this.#claim
    this.#notifications.push(notificationOfEvent(before, eventCount))
    if (effect === 'satisfied') this.#notifications.push(notificationOf(id, eventCount, this.#claim))
    if (effect === 'reversed')
      this.#notifications.push({
        ...notificationOf(id, eventCount, this.#claim),
        kind: 'outcome_changed',
      })
  }

  #lateMsOf(request: EventRequest): number | null {
    return this.#lateMs.get(request) ?? null
  }
}

const idRequired = () =>
  new ServiceError(
    'EVENT_ID_REQUIRED',
    'The event needs an id: the contract has a review or a clock that events stop, or counts events, and an event without an id could count twice.',
  )
