import { isSatisfied, type LoggedEvent } from './condition.ts'
import {
  acceptsEvents,
  type Contract,
  isPaused,
  latenessOf,
  opened,
  pending,
  RUNNING,
  resolved,
  restarted,
  reversed,
  type State,
  timeOfWindow,
  windowMs,
} from './contract.ts'
import type { WorkingHours } from './working-time.ts'

export const MAX_EVENTS = 10_000
/** §2.1a rule 6: places of the log that are reserved for a reversal, and for an event that resumes or satisfies a paused claim. */
export const RESERVED_PLACES = 2

/** The effect of an event. Null: it was only recorded. */
export type Effect = 'satisfied' | 'resumed' | 'paused' | 'reversed' | 'restarted' | null

export type EventResult =
  | { kind: 'recorded'; effect: Effect; lateMs: number | null }
  | { kind: 'not open' }
  | { kind: 'log full' }

/** The state machine of a claim, one log item at a time (§2.1a, §3). The caller handles repeats. */
export class ClaimModel {
  readonly contract: Contract
  state: State
  /** Number of its log items. */
  items = 0
  readonly #named: ReadonlySet<string>
  /** Events of the current status. Events that no leaf names are left out for speed. */
  #evidence: LoggedEvent[] = []
  /** The first event decides a condition that is true from the start, whatever the event's type. */
  #wasEvaluated = false
  readonly #hours: WorkingHours | null
  /** Milliseconds of the activity window that were left when its clock last started or stopped. */
  left: number
  /** When its clock last started or stopped. */
  leftSince: number

  /** @param hours of the calendar that the contract names */
  constructor(contract: Contract, openedAt: number, hours: WorkingHours | null = null) {
    this.contract = contract
    this.#hours = hours
    this.left = windowMs(contract.activity_window)
    this.leftSince = openedAt
    this.state = opened(contract, openedAt, hours)
    this.#named = namesOf(contract)
  }

  /** Submits an event that is recorded at this time. */
  submit(event: LoggedEvent, at: number): EventResult {
    if (!acceptsEvents(this.contract, this.state)) return { kind: 'not open' }
    const lateMs = latenessOf(this.state, at)
    const counts = lateMs === null || this.contract.strict_deadline !== true
    const effect = counts ? this.#effectOf(event, lateMs !== null) : null
    if (this.items >= this.#places(effect)) return { kind: 'log full' }

    this.items++
    if (counts) {
      this.#wasEvaluated = true
      if (this.#named.has(event.type)) this.#evidence.push(event)
    }
    if (effect === 'satisfied') this.#enter(pending(this.contract, 'CONFIRMED', at, this.#hours))
    if (effect === 'paused') this.#pause(at)
    if (effect === 'resumed') this.#resume(at)
    if (effect === 'reversed') this.state = reversed(this.state)
    if (effect === 'restarted') this.state = restarted(this.contract, this.state, at, this.#hours)
    return { kind: 'recorded', effect, lateMs }
  }

  /** The check at this time finds the window elapsed. */
  elapse(at: number): void {
    const { timeout_outcome } = this.contract
    this.items++
    if (this.state.status === 'PENDING') this.#enter(resolved(this.state, at))
    else {
      const outcome = timeout_outcome === 'confirm' ? 'CONFIRMED' : 'FAILED'
      this.#enter(pending(this.contract, outcome, at, this.#hours))
    }
  }

  /** Milliseconds of the activity window that have passed since its clock last started, at most those that were left. */
  usedUp(at: number): number {
    const passed = timeOfWindow(this.contract, 'activity', this.#hours).between(this.leftSince, at)
    return Math.min(passed, this.left)
  }

  /** §2.1a rule 18. */
  #pause(at: number): void {
    this.left -= this.usedUp(at)
    this.leftSince = at
    this.state = { ...this.state, due_at: null, paused_since: at, remaining: this.left / 1000 }
  }

  #resume(at: number): void {
    this.leftSince = at
    const due_at = timeOfWindow(this.contract, 'activity', this.#hours).end(at, this.left)
    this.state = { ...this.state, due_at, ...RUNNING }
  }

  /** §2.1a rule 5: only the first effect that applies. */
  #effectOf(event: LoggedEvent, isLate: boolean): Effect {
    const { fulfillment_condition, review, clock } = this.contract
    const isNamed = this.#named.has(event.type)
    const evidence = isNamed ? [...this.#evidence, event] : this.#evidence
    if (this.state.status === 'OPEN') {
      const isEvaluated = isNamed || !this.#wasEvaluated
      if (isEvaluated && isSatisfied(fulfillment_condition, evidence)) return 'satisfied'
      const [trigger, then] = isPaused(this.state)
        ? ([clock?.resume_on, 'resumed'] as const)
        : ([clock?.pause_on, 'paused'] as const)
      return trigger && !isLate && isSatisfied(trigger, [event]) ? then : null
    }
    if (!isNamed) return null
    const { reversal_condition, restart_on } = review ?? {}
    if (reversal_condition && isSatisfied(reversal_condition, evidence)) return 'reversed'
    return restart_on && !isLate && isSatisfied(restart_on, [event]) ? 'restarted' : null
  }

  /** §2.1a rule 6. The system event of a timeout may use a reserved place. The reversal has one more. */
  #places(effect: Effect): number {
    const { review, clock } = this.contract
    if (effect === 'reversed') return MAX_EVENTS + 1
    if (review?.reversal_condition === undefined && clock?.resume_on === undefined) return MAX_EVENTS
    const mayUseReserved = effect === 'resumed' || (effect === 'satisfied' && isPaused(this.state))
    return mayUseReserved ? MAX_EVENTS : MAX_EVENTS - RESERVED_PLACES
  }

  #enter(state: State): void {
    this.state = state
    this.#evidence = []
  }
}

/** The event types in the conditions of the contract. */
export const namesOf = (contract: Contract): ReadonlySet<string> =>
  new Set(
    [...JSON.stringify(contract).matchAll(/"event":("(?:[^"\\]|\\.)*")/g)].map(
      ([, name]) => JSON.parse(name as string) as string,
    ),
  )
