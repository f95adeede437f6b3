/** A log counts as mostly newest first if it has this many pairs of rows from new to old for each pair from old to new. */
const MOSTLY = 9

/** Pairs of successive rows, by their times. */
class Pairs {
  later = 0
  earlier = 0
  equal = 0

  add(before: number, at: number): void {
    if (at > before) this.later++
    else if (at < before) this.earlier++
    else this.equal++
  }

  get isNewestFirst(): boolean {
    return this.earlier > 0 && this.later === 0
  }
}

/**
 * Detects whether a log is written newest first. In such a log the newer event of a case precedes the older event, also
 * if both have the same time. The rows of each case decide, or all rows of the log if each case has only one time.
 */
export class RowOrder {
  readonly #cases = new Pairs()
  readonly #rows = new Pairs()
  #last = Number.NaN
  /** Whether events of a case with the same time run in the reverse order of the log. */
  isReversed: boolean

  constructor(isReversed: boolean) {
    this.isReversed = isReversed
  }

  /** @param before the time of the previous row of the same case; null for the first row */
  add(at: number, before: number | null): void {
    if (before !== null) this.#cases.add(before, at)
    if (!Number.isNaN(this.#last)) this.#rows.add(this.#last, at)
    this.#last = at
  }

  get isNewestFirst(): boolean {
    const { later, earlier, isNewestFirst } = this.#cases
    return later + earlier > 0 ? isNewestFirst : this.#rows.isNewestFirst
  }

  get isMostlyNewestFirst(): boolean {
    return this.#cases.earlier > MOSTLY * this.#cases.later
  }

  /** Whether rows of a case go back in time, and other rows of the log do not. */
  get isMixed(): boolean {
    return this.#cases.earlier > 0 && this.#cases.later + this.#rows.later > 0
  }

  /** Whether successive rows of a case have the same time, in a log that is newest first and was not taken so. */
  get mustBeReversed(): boolean {
    return this.isNewestFirst && this.#cases.equal > 0 && !this.isReversed
  }
}
