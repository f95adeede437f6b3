import { ELAPSED_TIME, type TimeMeasure } from '../core/calendars/working-time.ts'
import { ClaimRun, type Decision } from '../core/claims/claim-run.ts'
import { ACTIVITY_WINDOW_ELAPSED, isReservedType, type LogEvent } from '../core/claims/event.ts'
import { isPaused, type Status } from '../core/claims/lifecycle.ts'
import type { Contract } from '../core/contracts/contract.ts'
import type { JsonObject } from '../kernel/json.ts'

/** An event of a log that is back-tested. */
export interface CaseEvent {
  /** From the column of `--event-id`. An event without an id is new. */
  id?: string | undefined
  type: string
  /** Milliseconds since 1970; a fraction counts for the order alone. */
  at: number
  /** At least the fields that the contracts read (`decisiveFields`). */
  payload: JsonObject
  /** Size of the whole payload as JSON. */
  payloadBytes: number
  /** Where it begins in the log. */
  line: number
}

/** An event that the fulfillment condition did not include: it was refused, or late under `strict_deadline`. */
export interface ExcludedEvent extends LogEvent {
  line: number
}

/** A case is run as one claim. The events are in the order of their times; equal times are in the order of the log. */
export interface Case {
  id: string
  /** Milliseconds since 1970; null for the time of the first event. */
  openedAt: number | null
  /** Whether rows of the case have other opening times. */
  hasConflictingOpenings?: boolean
  events: readonly CaseEvent[]
}

/** Why an event did not reach the claim's log. */
export const REFUSALS = ['claim_not_open', 'before_opening', 'reserved_type', 'log_full'] as const
export type Refusal = (typeof REFUSALS)[number]

export interface CaseResult {
  id: string
  openedAt: number
  status: Status
  /** The first transition of all: an event satisfied the condition, or the activity window elapsed. */
  decidedBy: 'events' | 'window' | null
  /** When the activity window ended; null unless it decided. */
  windowEnd: number | null
  /** When it became CONFIRMED or FAILED. */
  resolvedAt: number | null
  /** The claim's log without system events. */
  accepted: readonly LogEvent[]
  /** How many of the accepted events came while the claim was OPEN. The others came in review. */
  acceptedWhileOpen: number
  /** How many of the accepted events came after the end of a window, and before the check (§2.1a rule 3). */
  acceptedLate: number
  /** Events whose id is in the log already. They decide nothing. */
  repeated: number
  /** Refused because the claim was no longer OPEN, or recorded late while OPEN under `strict_deadline`. */
  excluded: readonly ExcludedEvent[]
  refused: Record<Refusal, number>
  /** Whether an event in review made the scheduled outcome FAILED. */
  isReversed: boolean
  /** Events that began a new review window. */
  restarts: number
  /** Events that stopped the clock. */
  pauses: number
  /** Whether the clock is stopped at the end. */
  isPaused: boolean
  /** Events after `until`, which are ignored. */
  afterUntil: number
}

/**
 * Runs one case; null if it opens after `until`. Without `until` the case runs until it is terminal, or stays OPEN if
 * its clock is stopped after its last event.
 * @param calendar the working time of the contract's calendar, if it has one
 */
export function runCase(
  contract: Contract,
  tested: Case,
  until: number | null,
  calendar = ELAPSED_TIME,
): CaseResult | null {
  // The service's times are whole milliseconds. An event in the millisecond of the opening is not before it.
  const openedAt = Math.floor(tested.openedAt ?? (tested.events[0] as CaseEvent).at)
  if (until !== null && openedAt > until) return null
  const run = new CaseRun(contract, tested.id, openedAt, calendar)
  for (const event of tested.events) {
    if (until !== null && Math.floor(event.at) > until) run.result.afterUntil++
    else run.submit(event)
  }
  run.advanceTo(until === null ? null : new Date(until))
  const { state } = run.claim
  return { ...run.result, status: state.status, isPaused: isPaused(state) }
}

class CaseRun {
  readonly claim: ClaimRun
  readonly #isStrict: boolean
  /** Events without an id so far. */
  #events = 0
  readonly result: CaseResult & { accepted: LogEvent[]; excluded: ExcludedEvent[] }

  constructor(contract: Contract, id: string, openedAt: number, calendar: TimeMeasure) {
    this.claim = new ClaimRun(contract, new Date(openedAt), calendar)
    this.#isStrict = contract.strict_deadline === true
    this.result = {
      id,
      openedAt,
      status: 'OPEN',
      decidedBy: null,
      windowEnd: null,
      resolvedAt: null,
      accepted: [],
      acceptedWhileOpen: 0,
      acceptedLate: 0,
      repeated: 0,
      excluded: [],
      refused: { claim_not_open: 0, before_opening: 0, reserved_type: 0, log_full: 0 },
      isReversed: false,
      restarts: 0,
      pauses: 0,
      isPaused: false,
      afterUntil: 0,
    }
  }

  submit(event: CaseEvent): void {
    if (event.at < this.result.openedAt) this.result.refused.before_opening++
    else if (isReservedType(event.type)) this.result.refused.reserved_type++
    else this.#decide(event)
  }

  #decide({ id: given, type, at, payload, payloadBytes, line }: CaseEvent): void {
    const time = new Date(at)
    this.advanceTo(time)
    const id = given ?? nameOfPlace(this.#events++)
    const decision = this.claim.submit({ id, type, payload, payloadBytes }, time)
    if (decision.kind === 'append') this.#append(decision, line)
    else if (decision.kind === 'not-open') {
      this.result.refused.claim_not_open++
      this.result.excluded.push({ id, type, payload, system: false, createdAt: time, line })
    } else if (decision.kind === 'log-full') this.result.refused.log_full++
    else this.result.repeated++
  }

  #append({ event, effect, lateMs }: Extract<Decision, { kind: 'append' }>, line: number): void {
    const { result } = this
    const isOpen = result.decidedBy === null
    result.accepted.push(lateMs === null ? event : { ...event, lateMs })
    if (isOpen) result.acceptedWhileOpen++
    if (lateMs !== null) result.acceptedLate++
    if (lateMs !== null && isOpen && this.#isStrict) result.excluded.push({ ...event, line })
    if (effect === 'satisfied') result.decidedBy = 'events'
    else if (effect === 'reversed') result.isReversed = true
    else if (effect === 'restarted') result.restarts++
    else if (effect === 'paused') result.pauses++
  }

  /** Runs the checks up to and including the time; null: until the claim is terminal or its clock is stopped. */
  advanceTo(time: Date | null): void {
    const { dueAt } = this.claim.state
    for (const { state, systemEventType } of this.claim.advanceTo(time)) {
      if (systemEventType === ACTIVITY_WINDOW_ELAPSED) {
        this.result.decidedBy = 'window'
        this.result.windowEnd = dueAt?.getTime() ?? null
      } else this.result.resolvedAt = state.statusSince.getTime()
    }
  }
}

const placeNames: string[] = []

/**
 * The id of an event without an id. No id of a log contains NUL. Cases share the strings, so that each is hashed once.
 */
function nameOfPlace(place: number): string {
  placeNames[place] ??= `\0${place}`
  return placeNames[place]
}
