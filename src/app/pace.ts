import { setTimeout as pause } from 'node:timers/promises'

/** Submissions that take so long are taken to wait for what is done beside them, on any machine. */
const SLOW_MS = 20
/** On a slower one, so many times as long as they take when they are quick. */
const SLOW_TIMES = 3
/** Over about this time what is measured of submissions is averaged. */
const AVERAGED_MS = 100
/** If none has been answered for so long, there are none to give way to. */
const QUIET_MS = 300
/** How much longer than the work a rest is, at most: some of the machine is always left for it. */
const MOST_RESTS = 8
const MORE_RESTS = 0.5
const FEWER_RESTS = 0.1
const LONGEST_REST_MS = 1_000
/** In which the usual time follows a machine that has become slower. */
const USUAL_OVER_MS = 600_000

/**
 * How fast work goes on that has time: checks, removals, migrations. They give way to submissions by how long these take: as
 * long as they are slow, each piece of work is followed by a longer rest, and by a shorter one if not.
 */
export class Pace {
  readonly #now: () => number
  #recentMs = 0
  #usualMs = Number.POSITIVE_INFINITY
  #notedAt = Number.NEGATIVE_INFINITY
  /** How long a rest is, as a multiple of the work before it. */
  #rests = 0

  /** @param now in milliseconds, for tests */
  constructor(now = () => performance.now()) {
    this.#now = now
  }

  /** A submission was answered, after so many milliseconds. */
  note(ms: number): void {
    const now = this.#now()
    const sinceMs = now - this.#notedAt
    this.#notedAt = now
    this.#recentMs += (ms - this.#recentMs) * shareOf(sinceMs, AVERAGED_MS)
    if (this.#recentMs < this.#usualMs) this.#usualMs = this.#recentMs
    else this.#usualMs += (this.#recentMs - this.#usualMs) * shareOf(sinceMs, USUAL_OVER_MS)
  }

  get isSlow(): boolean {
    if (this.#now() - this.#notedAt > QUIET_MS) return false
    return this.#recentMs > Math.max(SLOW_MS, SLOW_TIMES * this.#usualMs)
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

/** How much of the new counts in an average over this time. */
const shareOf = (sinceMs: number, overMs: number) => 1 - Math.exp(-sinceMs / overMs)
