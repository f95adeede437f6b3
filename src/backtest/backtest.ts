import { ClaimRun } from '../core/claims/claim-run.ts'
import { ACTIVITY_WINDOW_ELAPSED, isReservedType, type LogEvent } from '../core/claims/event.ts'
import type { Status, Transition } from '../core/claims/lifecycle.ts'
import type { Contract } from '../core/contracts/contract.ts'
import type { JsonObject } from '../kernel/json.ts'

/** An event of a log that is back-tested. */
export interface CaseEvent {
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

/** An event that the claim refused. */
export interface LateEvent extends LogEvent {
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
  /** When it became CONFIRMED or FAILED. */
  resolvedAt: number | null
  accepted: readonly LogEvent[]
  /** Refused because the claim was no longer OPEN. */
  late: readonly LateEvent[]
  refused: Record<Refusal, number>
  /** Events after `until`, which are ignored. */
  afterUntil: number
}

/** Runs one case; null if it opens after `until`. Without `until` it runs until CONFIRMED or FAILED. */
export function runCase(contract: Contract, tested: Case, until: number | null): CaseResult | null {
  const openedAt = tested.openedAt ?? (tested.events[0] as CaseEvent).at
  if (until !== null && openedAt > until) return null
  const run = new CaseRun(contract, tested.id, openedAt)
  for (const event of tested.events) {
    if (until !== null && event.at > until) run.result.afterUntil++
    else run.submit(event)
  }
  run.note(run.claim.advanceTo(until === null ? null : new Date(until)))
  return { ...run.result, status: run.claim.state.status }
}

class CaseRun {
  readonly claim: ClaimRun
  #events = 0
  readonly result: CaseResult & { accepted: LogEvent[]; late: LateEvent[] }

  constructor(contract: Contract, id: string, openedAt: number) {
    this.claim = new ClaimRun(contract, new Date(openedAt))
    this.result = {
      id,
      openedAt,
      status: 'OPEN',
      decidedBy: null,
      resolvedAt: null,
      accepted: [],
      late: [],
      refused: { claim_not_open: 0, before_opening: 0, reserved_type: 0, log_full: 0 },
      afterUntil: 0,
    }
  }

  submit(event: CaseEvent): void {
    if (event.at < this.result.openedAt) this.result.refused.before_opening++
    else if (isReservedType(event.type)) this.result.refused.reserved_type++
    else this.#decide(event)
  }

  #decide({ type, at, payload, payloadBytes, line }: CaseEvent): void {
    const time = new Date(at)
    this.note(this.claim.advanceTo(time))
    const id = nameOfPlace(this.#events++)
    const decision = this.claim.submit({ id, type, payload, payloadBytes }, time)
    if (decision.kind === 'append') {
      this.result.accepted.push(decision.event)
      if (this.claim.state.status === 'PENDING') this.result.decidedBy = 'events'
    } else if (decision.kind === 'not-open') {
      this.result.refused.claim_not_open++
      this.result.late.push({ id, type, payload, system: false, createdAt: time, line })
    } else if (decision.kind === 'log-full') this.result.refused.log_full++
    else throw new Error(`two events of case ${this.result.id} have the id ${id}`)
  }

  note(transitions: Transition[]): void {
    for (const { state, systemEventType } of transitions) {
      if (systemEventType === ACTIVITY_WINDOW_ELAPSED) this.result.decidedBy = 'window'
      else this.result.resolvedAt = state.statusSince.getTime()
    }
  }
}

const placeNames: string[] = []

/** Events have no ids in a log; their places do. The same strings for all cases: a new one costs its hash. */
function nameOfPlace(place: number): string {
  placeNames[place] ??= String(place)
  return placeNames[place]
}
