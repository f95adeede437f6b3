import { STATUSES, type Status } from '../core/claims/lifecycle.ts'
import type { Contract } from '../core/contracts/contract.ts'
import { type Decimal, times, toDecimal } from '../kernel/decimal.ts'
import { DAY_MS } from '../kernel/durations.ts'
import { type CaseResult, REFUSALS, type Refusal } from './backtest.ts'
import { MAX_NEAREST_LOSERS } from './limits.ts'
import { type Attempts, attemptsAt, isNearer, type Loss, lossOf, type MissingLeaf } from './loss.ts'

/** Why a case has its status. */
export const REASONS = [
  'condition_satisfied',
  'window_elapsed_confirm',
  'reversed_in_review',
  'window_elapsed_events_late',
  'window_elapsed_events_missing',
  'still_pending',
  'still_open',
] as const
export type Reason = (typeof REASONS)[number]

/** A FAILED case that was near to CONFIRMED. */
export interface Loser {
  id: string
  missing: (MissingLeaf & Attempts)[]
  late: Loss['late']
}

const zeros = <Key extends string>(keys: readonly Key[]) =>
  Object.fromEntries(keys.map((key) => [key, 0])) as Record<Key, number>

/** The result of one contract. Its size grows with the days of the log, and by up to 16 bytes a case. */
export class Totals {
  readonly contract: Contract
  readonly count = zeros(STATUSES)
  readonly reasons = zeros(REASONS)
  readonly refused = zeros<Refusal>(REFUSALS)
  accepted = 0
  acceptedLate = 0
  /** Events whose id was in the log already. */
  repeated = 0
  /** Cases whose outcome under review became FAILED. Without the review they would have been CONFIRMED. */
  reversed = 0
  /** Cases whose review window was restarted. */
  restarted = 0
  /** Cases whose clock stopped, and those whose clock is stopped at the end. */
  paused = 0
  stillPaused = 0
  /** Milliseconds from the opening to the terminal state. */
  readonly resolution = { CONFIRMED: new Durations(), FAILED: new Durations() }
  /** The ends of the activity windows that decided cases. */
  readonly #windowEnds = new Durations()
  /** Cases by the day that they opened on (days since 1970) and status. */
  readonly byDay = new Map<number, Record<Status, number>>()
  /** The FAILED cases that were nearest to CONFIRMED, the nearest first. */
  readonly nearestLosers: Loser[] = []

  constructor(contract: Contract) {
    this.contract = contract
  }

  get cases(): number {
    return STATUSES.reduce((sum, status) => sum + this.count[status], 0)
  }

  /** The exact sum of the prices of the cases in a status. */
  priceSum(status: Status): Decimal {
    return times(toDecimal(this.contract.price), this.count[status])
  }

  /** What the same contract without `review` would have paid in addition. */
  get reversedPriceSum(): Decimal {
    return times(toDecimal(this.contract.price), this.reversed)
  }

  /** Cases whose activity window decided them and ended after a time. */
  decidedAfter(time: number): number {
    return this.#windowEnds.sorted.reduce((count, end) => (end > time ? count + 1 : count), 0)
  }

  add(result: CaseResult): void {
    const { status, openedAt, resolvedAt, windowEnd } = result
    if (windowEnd !== null) this.#windowEnds.add(windowEnd)
    this.count[status]++
    this.accepted += result.accepted.length
    this.acceptedLate += result.acceptedLate
    this.repeated += result.repeated
    if (result.isReversed) this.reversed++
    if (result.restarts > 0) this.restarted++
    if (result.pauses > 0) this.paused++
    if (result.isPaused) this.stillPaused++
    for (const refusal of REFUSALS) this.refused[refusal] += result.refused[refusal]
    if (resolvedAt !== null && (status === 'CONFIRMED' || status === 'FAILED')) {
      this.resolution[status].add(resolvedAt - openedAt)
    }
    this.#countDay(Math.floor(openedAt / DAY_MS), status)
    const loss = status === 'FAILED' ? lossOf(this.contract, result) : null
    if (loss) this.#rank(loss, result)
    this.reasons[reasonOf(result, loss)]++
  }

  #countDay(day: number, status: Status): void {
    const counts = this.byDay.get(day) ?? zeros(STATUSES)
    counts[status]++
    this.byDay.set(day, counts)
  }

  /** Of cases with equal rank, the first one of the log stays first. */
  #rank(loss: Loss, { id }: CaseResult): void {
    const losers = this.nearestLosers
    const last = losers[MAX_NEAREST_LOSERS - 1]
    if (last && !isNearer(loss, last)) return
    const missing = loss.missing.map((one) => ({ ...one, ...attemptsAt(one.leaf, loss.events) }))
    const worse = losers.findIndex((other) => isNearer(loss, other))
    losers.splice(worse === -1 ? losers.length : worse, 0, { id, missing, late: loss.late })
    losers.length = Math.min(losers.length, MAX_NEAREST_LOSERS)
  }
}

function reasonOf({ status, decidedBy, isReversed }: CaseResult, loss: Loss | null): Reason {
  if (status === 'OPEN') return 'still_open'
  if (status === 'PENDING') return 'still_pending'
  if (isReversed) return 'reversed_in_review'
  if (decidedBy === 'events') return 'condition_satisfied'
  if (status === 'CONFIRMED') return 'window_elapsed_confirm'
  return loss?.late ? 'window_elapsed_events_late' : 'window_elapsed_events_missing'
}

/** Many durations at eight bytes each: the medians of millions of cases are exact. */
export class Durations {
  #values = new Float64Array(64)
  #count = 0
  #isSorted = true

  get count(): number {
    return this.#count
  }

  add(duration: number): void {
    if (this.#count === this.#values.length) {
      const larger = new Float64Array(this.#count * 2)
      larger.set(this.#values)
      this.#values = larger
    }
    this.#values[this.#count++] = duration
    this.#isSorted = false
  }

  /** From the shortest to the longest. */
  get sorted(): Float64Array {
    const values = this.#values.subarray(0, this.#count)
    if (!this.#isSorted) values.sort()
    this.#isSorted = true
    return values
  }

  /** For an even count, the mean of the middle two durations. Null without durations. */
  get median(): number | null {
    const values = this.sorted
    if (values.length === 0) return null
    const upper = values[Math.floor(values.length / 2)] as number
    const lower = values[Math.ceil(values.length / 2) - 1] as number
    return (lower + upper) / 2
  }
}
