/**
 * Slows background work (checks, removals, migrations) while event submissions are overloaded.
 *
 * Why: background work and submissions share one database. Submissions have callers that wait.
 * What: submissions report their latency. Each piece of background work is followed by a pause of `pause ratio` times the
 * time of the work. The ratio rises with each piece during overload, and falls with each piece otherwise.
 * Overloaded: the mean latency of the current and the previous window exceeds `OVERLOAD_LATENCY_MS`, and
 * `OVERLOAD_LATENCY_FACTOR` times the usual latency of this machine.
 * Invariants: background work is never stopped. Without submissions there are no pauses.
 * Limits: see `limits.ts`. A throttle sees the submissions of its own process only.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import {
  LATENCY_MAX_AGE_MS,
  LATENCY_WINDOW_MS,
  MAX_PAUSE_MS,
  MAX_PAUSE_RATIO,
  OVERLOAD_LATENCY_FACTOR,
  OVERLOAD_LATENCY_MS,
  PAUSE_RATIO_DECREASE,
  PAUSE_RATIO_INCREASE,
  USUAL_LATENCY_FALL_MS,
  USUAL_LATENCY_RISE_MS,
} from './limits.ts'

interface LatencyWindow {
  startedAt: number
  sumMs: number
  count: number
}

const newWindow = (startedAt: number): LatencyWindow => ({ startedAt, sumMs: 0, count: 0 })

export class AdaptiveThrottle {
  readonly #now: () => number
  #window = newWindow(0)
  #previous = newWindow(0)
  /** Null before the end of the first window. */
  #usualMs: number | null = null
  #recordedAt = Number.NEGATIVE_INFINITY
  #pauseRatio = 0

  /** @param now in milliseconds, for tests */
  constructor(now = () => performance.now()) {
    this.#now = now
  }

  /** Latency of a submission that was written, or that timed out. Submissions without a write say nothing about the load. */
  record(latencyMs: number): void {
    const now = this.#now()
    this.#recordedAt = now
    if (now - this.#window.startedAt >= LATENCY_WINDOW_MS) this.#endWindow(now)
    this.#window.sumMs += latencyMs
    this.#window.count++
  }

  get isOverloaded(): boolean {
    if (this.#usualMs === null || this.#now() - this.#recordedAt > LATENCY_MAX_AGE_MS) return false
    const [a, b] = [this.#previous, this.#window]
    const meanMs = (a.sumMs + b.sumMs) / (a.count + b.count)
    return meanMs > Math.max(OVERLOAD_LATENCY_MS, OVERLOAD_LATENCY_FACTOR * this.#usualMs)
  }

  /** Runs a piece of background work, and pauses after it if needed. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    const startedAt = this.#now()
    const result = await work()
    await this.pauseAfter(this.#now() - startedAt)
    return result
  }

  async pauseAfter(workMs: number): Promise<void> {
    this.#pauseRatio = this.isOverloaded
      ? Math.min(this.#pauseRatio + PAUSE_RATIO_INCREASE, MAX_PAUSE_RATIO)
      : Math.max(this.#pauseRatio - PAUSE_RATIO_DECREASE, 0)
    const pauseMs = Math.min(workMs * this.#pauseRatio, MAX_PAUSE_MS)
    if (pauseMs >= 1) await sleep(pauseMs)
  }

  #endWindow(now: number): void {
    const ended = this.#window
    this.#previous = now - ended.startedAt < 2 * LATENCY_WINDOW_MS ? ended : newWindow(now)
    this.#window = newWindow(now)
    if (ended.count === 0) return
    const meanMs = ended.sumMs / ended.count
    const usualMs = this.#usualMs ?? meanMs
    // A window counts with its nominal length, even if a long silence followed.
    const shareMs = meanMs < usualMs ? USUAL_LATENCY_FALL_MS : USUAL_LATENCY_RISE_MS
    this.#usualMs = usualMs + (meanMs - usualMs) * (LATENCY_WINDOW_MS / shareMs)
  }
}
