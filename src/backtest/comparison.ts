import type { Status } from '../core/claims/lifecycle.ts'
import type { Contract } from '../core/contracts/contract.ts'
import { type Decimal, minus, plus, times, toDecimal, ZERO } from '../kernel/decimal.ts'
import type { CaseResult } from './backtest.ts'
import { MAX_CHANGED_CASES } from './limits.ts'

export interface ChangedCase {
  id: string
  from: Status
  to: Status
  /** The price of the second contract minus that of the first. */
  difference: Decimal
}

/** Cases with the same change of status. */
export interface StatusChange {
  from: Status
  to: Status
  count: number
  /** The sum of the price differences of these cases. */
  difference: Decimal
}

/** Compares two contracts over the same cases. A case has changed if its status or the amount paid for it differs. */
export class Comparison {
  readonly #prices: { readonly first: Decimal; readonly second: Decimal }
  /** Holds the price difference of one case: all cases with the same change have the same difference. */
  readonly #changes = new Map<string, Omit<StatusChange, 'difference'> & { differencePerCase: Decimal }>()
  readonly #otherOutcome: ChangedCase[] = []
  readonly #otherPrice: ChangedCase[] = []
  changed = 0
  unchanged = 0

  constructor(first: Contract, second: Contract) {
    this.#prices = { first: toDecimal(first.price), second: toDecimal(second.price) }
  }

  add(first: CaseResult, second: CaseResult): void {
    const { status: from } = first
    const { status: to, id } = second
    const difference = minus(this.#paid('second', to), this.#paid('first', from))
    if (from === to && difference.units === 0n) {
      this.unchanged++
      return
    }
    this.changed++
    const change = this.#changes.get(`${from} ${to}`) ?? { from, to, count: 0, differencePerCase: difference }
    this.#changes.set(`${from} ${to}`, { ...change, count: change.count + 1 })
    const examples = from === to ? this.#otherPrice : this.#otherOutcome
    if (examples.length < MAX_CHANGED_CASES) examples.push({ id, from, to, difference })
  }

  /** Changed status first, then changed price only. Each in log order. */
  get changedCases(): ChangedCase[] {
    return [...this.#otherOutcome, ...this.#otherPrice].slice(0, MAX_CHANGED_CASES)
  }

  /** The most frequent first. */
  get changes(): StatusChange[] {
    return [...this.#changes.values()]
      .map(({ differencePerCase, ...change }) => ({
        ...change,
        difference: times(differencePerCase, change.count),
      }))
      .sort((a, b) => b.count - a.count)
  }

  /** The total paid under the second contract minus the total under the first, over the whole log. */
  get difference(): Decimal {
    return this.changes.reduce((sum, change) => plus(sum, change.difference), ZERO)
  }

  /** Only a CONFIRMED claim is paid. */
  #paid(contract: 'first' | 'second', status: Status): Decimal {
    return status === 'CONFIRMED' ? this.#prices[contract] : ZERO
  }
}
