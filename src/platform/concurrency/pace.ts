import { setTimeout as pause } from 'node:timers/promises'

/** Submissions that take so long are taken to wait for what is done beside them, on any machine. */
const SLOW_MS = 20
/** On a slower one, so many times as long as they take when they are quick. */
const SLOW_TIMES = 3
/** The mean is that of two such spans: the one that goes on, and the one before. */
const SPAN_MS = 100
/** If none has been answered for so long, there are none to give way to. */
const QUIET_MS = 300
/** How much longer than the work a rest is, at most: some of the machine is always left for it. */
const MOST_RESTS = 8
const MORE_RESTS = 0.5
const FEWER_RESTS = 0.1
const LONGEST_REST_MS = 1_000
/** For how long they have to take less until that is what is usual, about; and for how long more. */
const USUAL_FALLS_MS = 5_000
const USUAL_RISES_MS = 600_000

/**
 * How fast work goes on that has time: checks, removals, migrations. They give way to submissions by how long these take: as
 * long as they are slow, each piece of work is followed by a longer rest, and by a shorter one if not.
 */
export class Pace {
  readonly #now: () => number
  #span = newSpan(0)
  #spanBefore = newSpan(0)
  /** Null before the end of the first span. */
  #usualMs: number | null = null
  #notedAt = Number.NEGATIVE_INFINITY
  /** How long a rest is, as a multiple of the work before it. */
  #rests = 0

  /** @param now in milliseconds, for tests */
  constructor(now = () => performance.now()) {
    this.#now = now
  }

  /** An event was recorded, or could not be in time, after so many milliseconds. What is answered without writing tells nothing. */
  note(ms: number): void {
    const now = this.#now()
    this.#notedAt = now
    if (now - this.#span.since >= SPAN_MS) this.#turnOver(now)
    this.#span.sumMs += ms
    this.#span.count++
  }

  #turnOver(now: number): void {
    const over = this.#span
    this.#spanBefore = now - over.since < 2 * SPAN_MS ? over : newSpan(now)
    this.#span = newSpan(now)
    if (over.count === 0) return
    const mean = over.sumMs / over.count
    const usual = this.#usualMs ?? mean
    // A span counts as long as it was, also if a long silence followed.
    this.#usualMs = usual + (mean - usual) * (SPAN_MS / (mean < usual ? USUAL_FALLS_MS : USUAL_RISES_MS))
  }

  get isSlow(): boolean {
    if (this.#usualMs === null || this.#now() - this.#notedAt > QUIET_MS) return false
    const [a, b] = [this.#spanBefore, this.#span]
    return (a.sumMs + b.sumMs) / (a.count + b.count) > Math.max(SLOW_MS, SLOW_TIMES * this.#usualMs)
  }

  /** Does a piece of such work, and rests afterwards as things are. */
  async take<T>(work: () => Promise<T>): Promise<T> {
    const begun = this.#now()
    const done = await work()
    await this.restAfter(this.#now() - begun)
    return done
  }

  async restAfter(workMs: number): Promise<void> {
    this.#rests = this.isSlow
      ? Math.min(this.#rests + MORE_RESTS, MOST_RESTS)
      : Math.max(this.#rests - FEWER_RESTS, 0)
    const restMs = Math.min(workMs * this.#rests, LONGEST_REST_MS)
    if (restMs >= 1) await pause(restMs)
  }
}

/** What was measured of submissions in a span of time. */
interface Span {
  since: number
  sumMs: number
  count: number
}

const newSpan = (since: number): Span => ({ since, sumMs: 0, count: 0 })
