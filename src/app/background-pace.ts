/** Submissions that take so long are slow, be it on a machine on which they always take a while. */
const SLOW_MS = 40
/** And so many times what they take on average with nothing else at work: a slow disk is not the fault of what is done beside. */
const SLOW_FOR_THIS_MACHINE = 4
/** How much of the average each submission makes. */
const WEIGHT = 0.01
/** Work that has paused for so long is over. */
const WORK_MS = 1_000

/** However slow submissions are, what is done beside them goes on with this share. */
const LEAST_SHARE = 1 / 8
const STEP = 1 / 8
/** What a change has brought is seen in so long. */
const ADAPT_EVERY_MS = 50
const REST_MS = 10

/**
 * How much of what can wait (scheduled checks, removals, webhooks) is done beside submissions: as much as lets them stay quick. It
 * goes by what they take, not by how many they are: half as much each time that one was slow, a step more each time that none was.
 */
export class BackgroundPace {
  readonly #now: () => number
  #share = 1
  #slowestMs = 0
  /** Of submissions that had the machine to themselves. */
  #usualMs = 0
  #workedAt = Number.NEGATIVE_INFINITY
  #adaptedAt = Number.NEGATIVE_INFINITY

  /** @param now in milliseconds, for tests */
  constructor(now = () => performance.now()) {
    this.#now = now
  }

  /** A submission was answered so long after it came. */
  note(ms: number): void {
    if (ms > this.#slowestMs) this.#slowestMs = ms
    if (this.#now() - this.#workedAt > WORK_MS) this.#usualMs += WEIGHT * (ms - this.#usualMs)
  }

  /** What is done in one go, of the most that can be. */
  portionOf(most: number): number {
    return Math.ceil(this.#share * most)
  }

  /** To be called after each portion. Returns for how many milliseconds to rest. */
  afterPortion(): number {
    const now = this.#now()
    if (now - this.#workedAt > WORK_MS) {
      // What was slow before the work began was not slow because of it.
      this.#adaptedAt = now
      this.#slowestMs = 0
    } else if (now - this.#adaptedAt >= ADAPT_EVERY_MS) {
      const isSlow = this.#slowestMs > Math.max(SLOW_MS, SLOW_FOR_THIS_MACHINE * this.#usualMs)
      this.#share = isSlow ? Math.max(LEAST_SHARE, this.#share / 2) : Math.min(1, this.#share + STEP)
      this.#adaptedAt = now
      this.#slowestMs = 0
    }
    this.#workedAt = now
    return REST_MS * (1 / this.#share - 1)
  }
}
