import { type Evidence, isSatisfied } from './condition.ts'
import {
  acceptsEvents,
  type Contract,
  latenessOf,
  opened,
  pending,
  resolved,
  restarted,
  reversed,
  type State,
} from './contract.ts'

export const MOST_EVENTS = 10_000
/** §2.1a rule 6: places of the log that are kept for an event that completes a reversal and one that resumes. */
export const KEPT_PLACES = 2

/** What an event did; null: nothing but to be recorded. */
export type Effect = 'satisfied' | 'reversed' | 'restarted' | null

export type Fate =
  | { is: 'recorded'; effect: Effect; lateMs: number | null }
  | { is: 'not open' }
  | { is: 'log full' }

/** The states that a claim goes through, one item of its log at a time (§2.1a, §3). The caller knows repeats. */
export class Course {
  readonly contract: Contract
  state: State
  /** Of its log. */
  items = 0
  readonly #named: ReadonlySet<string>
  /** Of the present status. What no leaf names is kept out for speed. */
  #evidence: Evidence[] = []
  /** The first event settles what is true from the start, whatever its type. */
  #wasJudged = false

  constructor(contract: Contract, openedAt: number) {
    this.contract = contract
    this.state = opened(contract, openedAt)
    this.#named = namesOf(contract)
  }

  /** An event that is recorded at this time. */
  submit(event: Evidence, at: number): Fate {
    if (!acceptsEvents(this.contract, this.state)) return { is: 'not open' }
    const lateMs = latenessOf(this.state, at)
    const counts = lateMs === null || this.contract.strict_deadline !== true
    const effect = counts ? this.#effectOf(event, lateMs !== null) : null
    if (this.items >= this.#places(effect)) return { is: 'log full' }

    this.items++
    if (counts) {
      this.#wasJudged = true
      if (this.#named.has(event.type)) this.#evidence.push(event)
    }
    if (effect === 'satisfied') this.#enter(pending(this.contract, 'CONFIRMED', at))
    if (effect === 'reversed') this.state = reversed(this.state)
    if (effect === 'restarted') this.state = restarted(this.contract, this.state, at)
    return { is: 'recorded', effect, lateMs }
  }

  /** The check of this time finds the window elapsed. */
  elapse(at: number): void {
    const { timeout_outcome } = this.contract
    this.items++
    if (this.state.status === 'PENDING') this.#enter(resolved(this.state, at))
    else this.#enter(pending(this.contract, timeout_outcome === 'confirm' ? 'CONFIRMED' : 'FAILED', at))
  }

  /** §2.1a rule 5: the first that applies, and nothing more. */
  #effectOf(event: Evidence, isLate: boolean): Effect {
    const { fulfillment_condition, review } = this.contract
    const isNamed = this.#named.has(event.type)
    const evidence = isNamed ? [...this.#evidence, event] : this.#evidence
    if (this.state.status === 'OPEN') {
      const isJudged = isNamed || !this.#wasJudged
      return isJudged && isSatisfied(fulfillment_condition, evidence) ? 'satisfied' : null
    }
    if (!isNamed) return null
    const { reversal_condition, restart_on } = review ?? {}
    if (reversal_condition && isSatisfied(reversal_condition, evidence)) return 'reversed'
    return restart_on && !isLate && isSatisfied(restart_on, [event]) ? 'restarted' : null
  }

  #places(effect: Effect): number {
    const isKept = this.contract.review?.reversal_condition !== undefined && effect !== 'reversed'
    return isKept ? MOST_EVENTS - KEPT_PLACES : MOST_EVENTS
  }

  #enter(state: State): void {
    this.state = state
    this.#evidence = []
  }
}

/** The types that leaves name. */
export const namesOf = (contract: Contract): ReadonlySet<string> =>
  new Set(
    [...JSON.stringify(contract).matchAll(/"event":("(?:[^"\\]|\\.)*")/g)].map(
      ([, name]) => JSON.parse(name as string) as string,
    ),
  )
