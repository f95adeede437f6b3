import type { Status } from '../core/claims/lifecycle.ts'
import type { Contract } from '../core/contracts/contract.ts'
import type { CaseResult } from './backtest.ts'
import { type Decimal, minus, plus, times, toDecimal, ZERO } from './decimal.ts'
import { MAX_CHANGED_CASES } from './limits.ts'

export interface ChangedCase {
  id: string
  from: Status
  to: Status
  /** The price of the second contract minus that of the first. */
  difference: Decimal
}

/** Cases with the same change of status, and the difference in what is paid for them. */
export interface Change {
  from: Status
  to: Status
  count: number
  difference: Decimal
}

/** Two contracts over the same cases: a case changes if its status does, or what is paid for it. */
export class Comparison {
  readonly #prices: readonly [Decimal, Decimal]
  readonly #changes = new Map<string, Change>()
  readonly #otherOutcome: ChangedCase[] = []
  readonly #otherPrice: ChangedCase[] = []
  changed = 0
  unchanged = 0

  constructor(first: Contract, second: Contract) {
    this.#prices = [toDecimal(first.price), toDecimal(second.price)]
  }

  add(first: CaseResult, second: CaseResult): void {
    const { status: from } = first
    const { status: to, id } = second
    const difference = minus(this.#paid(1, to), this.#paid(0, from))
    if (from === to && difference.units === 0n) {
      this.unchanged++
      return
    }
    this.changed++
    const change = this.#changes.get(`${from} ${to}`) ?? { from, to, count: 0, difference: ZERO }
    this.#changes.set(`${from} ${to}`, { ...change, count: change.count + 1, difference })
    const alike = from === to ? this.#otherPrice : this.#otherOutcome
    if (alike.length < MAX_CHANGED_CASES) alike.push({ id, from, to, difference })
  }

  /** In the order of the log, but first those that end differently, then those that are paid differently. */
  get changedCases(): ChangedCase[] {
    return [...this.#otherOutcome, ...this.#otherPrice].slice(0, MAX_CHANGED_CASES)
  }

  /** The most frequent first. */
  get changes(): Change[] {
    return [...this.#changes.values()]
      .map((change) => ({ ...change, difference: times(change.difference, change.count) }))
      .sort((one, other) => other.count - one.count)
  }

  /** The sum of the second contract minus that of the first, over the whole log. */
  get difference(): Decimal {
    return this.changes.reduce((sum, change) => plus(sum, change.difference), ZERO)
  }

  /** Only a CONFIRMED claim is paid. */
  #paid(contract: 0 | 1, status: Status): Decimal {
    return status === 'CONFIRMED' ? this.#prices[contract] : ZERO
  }
}
