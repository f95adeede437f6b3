import { syncBuiltinESMExports } from 'node:module'
import promises from 'node:timers/promises'

const real = {
  setTimeout: globalThis.setTimeout,
  clearTimeout: globalThis.clearTimeout,
  setInterval: globalThis.setInterval,
  clearInterval: globalThis.clearInterval,
  setImmediate: globalThis.setImmediate,
}
const RealDate = Date
const realPause = promises.setTimeout

/** The time of day at the beginning. */
export const START_MS = Date.UTC(2030, 0, 1, 12, 0, 1)

/** What `setTimeout` and `setInterval` return, as far as it is used. */
class Timer {
  readonly ring: () => void
  readonly everyMs: number | null
  at: number
  isOff = false

  constructor(at: number, everyMs: number | null, ring: () => void) {
    this.at = at
    this.everyMs = everyMs
    this.ring = ring
  }

  ref(): this {
    return this
  }

  unref(): this {
    return this
  }
}

/**
 * Time that stands still until it is told to go on: timers, immediates and performance.now() of the whole process, those
 * of packages included. Node's own mock does not reach what is imported by name, nor performance.now().
 */
export class VirtualTime {
  nowMs = 0
  #timers: Timer[] = []
  readonly #immediates: (() => void)[] = []

  /** Timers that have yet to ring. */
  get waiting(): number {
    return this.#timers.length
  }

  install(): void {
    const timer = (everyMs: number | null, ms: number, ring: () => void) => {
      const made = new Timer(this.nowMs + Math.max(1, ms || 0), everyMs, ring)
      this.#timers.push(made)
      return made
    }
    const clear = (timer?: Timer) => {
      if (timer) timer.isOff = true
      this.#timers = this.#timers.filter(({ isOff }) => !isOff)
    }
    Object.assign(globalThis, {
      setTimeout: (ring: (...of: unknown[]) => void, ms: number, ...of: unknown[]) =>
        timer(null, ms, () => ring(...of)),
      setInterval: (ring: () => void, ms: number) => timer(ms, ms, ring),
      setImmediate: (run: (...of: unknown[]) => void, ...of: unknown[]) => {
        this.#immediates.push(() => run(...of))
      },
      clearTimeout: clear,
      clearInterval: clear,
    })
    Object.assign(promises, {
      setTimeout: (ms: number, value: unknown) =>
        new Promise((resolve) => void timer(null, ms, () => resolve(value))),
    })
    syncBuiltinESMExports()
    const timeOfDay = () => START_MS + this.nowMs
    globalThis.Date = class extends RealDate {
      constructor(...of: [] | [number]) {
        super(...((of.length === 0 ? [timeOfDay()] : of) as [number]))
      }
      static override now = timeOfDay
    } as DateConstructor
    Object.defineProperty(performance, 'now', { value: () => this.nowMs, configurable: true })
  }

  uninstall(): void {
    Object.assign(globalThis, real)
    Object.assign(promises, { setTimeout: realPause })
    syncBuiltinESMExports()
    globalThis.Date = RealDate
    Reflect.deleteProperty(performance, 'now')
  }

  /** Until nothing is left to do but what waits for time or for an answer. */
  async settle(): Promise<void> {
    for (;;) {
      await new Promise<void>((resolve) => void real.setImmediate(resolve))
      const due = this.#immediates.splice(0)
      if (due.length === 0) return
      for (const run of due) run()
    }
  }

  /** Goes on to the next moment at which something rings, and rings all that does. */
  goOn(): void {
    this.nowMs = Math.max(this.nowMs, Math.min(...this.#timers.map(({ at }) => at)))
    for (const timer of this.#timers.filter(({ at }) => at <= this.nowMs)) {
      if (timer.isOff) continue
      if (timer.everyMs !== null) timer.at = this.nowMs + timer.everyMs
      else this.#timers.splice(this.#timers.indexOf(timer), 1)
      timer.ring()
    }
  }
}
