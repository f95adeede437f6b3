/**
 * This share of those who were just answered, and of those who wait already, is waited for: at most for as long as the last group took,
 * nor for more milliseconds than so many.
 */
const SHARE = 0.75
const MOST_MS = 8
/** So many claims wait for no more. */
const ENOUGH = 50
/** If there are fewer all in all, nobody waits: hardly anything is to be gained. */
const FEWEST = 8
/** If not even this share of those who were waited for is there in the end, it was in vain. */
const WORTH_IT = 0.5
/** After waits in vain, so many groups at most go without one. */
const MOST_PASSED_OVER = 31

/**
 * When a machine's next group goes, on distributed tables: there a group of a few costs about as much as one of dozens, and callers who
 * were just answered often send again at once. Where they do not, waiting for them is given up for a while, twice as long each time.
 */
export class Gathering {
  /** How many claims are waited for, and until when; null if none are. */
  #next: { count: number; until: number } | null = null
  #passedOver = 0
  /** For how many groups to come none are waited for. */
  #passing = 0

  /**
   * A group has come back.
   * @param answered its claims for which nothing waits yet
   * @param waiting the claims that wait already
   */
  begin(answered: number, waiting: number, tookMs: number, now: number): void {
    if (this.#next && now >= this.#next.until && waiting === 0) this.end(0)
    // Those who wait already wait no longer than they were to.
    const until = Math.min(now + Math.min(tookMs, MOST_MS), this.#next?.until ?? Infinity)
    this.#next = null
    if (answered + waiting < FEWEST) return
    if (this.#passing > 0) this.#passing--
    else this.#next = { count: Math.min(SHARE * (answered + waiting), ENOUGH), until }
  }

  /** Until when so many claims wait for others; null if they need not. */
  holds(count: number, now: number): number | null {
    const { count: wanted, until } = this.#next ?? NOBODY
    return count < wanted && now < until ? until : null
  }

  /** So many go now. */
  end(count: number): void {
    if (!this.#next) return
    const isInVain = count < WORTH_IT * this.#next.count
    this.#passedOver = isInVain ? Math.min(2 * this.#passedOver + 1, MOST_PASSED_OVER) : 0
    this.#passing = this.#passedOver
    this.#next = null
  }
}

const NOBODY = { count: 0, until: 0 }
