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

/** The used part of what `setTimeout` and `setInterval` return. */
class Timer {
  readonly fire: () => void
  readonly everyMs: number | null
  at: number
  isCleared = false

  constructor(at: number, everyMs: number | null, fire: () => void) {
    this.at = at
    this.everyMs = everyMs
    this.fire = fire
  }

  ref(): this {
    return this
  }

  unref(): this {
    return this
  }
}

/**
 * Replaces timers, immediates and performance.now() of the whole process, packages included. Time passes only in
 * `advance`. Node's mock timers do not replace functions imported by name, nor performance.now().
 */
export class VirtualTime {
  nowMs = 0
  #timers: Timer[] = []
  readonly #immediates: (() => void)[] = []

  /** Timers that have not fired. */
  get pendingTimers(): number {
    return this.#timers.length
  }

  install(): void {
    const timer = (everyMs: number | null, ms: number, fire: () => void) => {
      const created = new Timer(this.nowMs + Math.max(1, ms || 0), everyMs, fire)
      this.#timers.push(created)
      return created
    }
    const clear = (timer?: Timer) => {
      if (timer) timer.isCleared = true
      this.#timers = this.#timers.filter(({ isCleared }) => !isCleared)
    }
    Object.assign(globalThis, {
      setTimeout: (fire: (...of: unknown[]) => void, ms: number, ...of: unknown[]) =>
        timer(null, ms, () => fire(...of)),
      setInterval: (fire: () => void, ms: number) => timer(ms, ms, fire),
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

  /** Runs all immediates and microtasks. */
  async settle(): Promise<void> {
    for (;;) {
      await new Promise<void>((resolve) => void real.setImmediate(resolve))
      const due = this.#immediates.splice(0)
      if (due.length === 0) return
      for (const run of due) run()
    }
  }

  /** Advances to the next timer and fires all timers that are due. */
  advance(): void {
    this.nowMs = Math.max(this.nowMs, Math.min(...this.#timers.map(({ at }) => at)))
    for (const timer of this.#timers.filter(({ at }) => at <= this.nowMs)) {
      if (timer.isCleared) continue
      if (timer.everyMs !== null) timer.at = this.nowMs + timer.everyMs
      else this.#timers.splice(this.#timers.indexOf(timer), 1)
      timer.fire()
    }
  }
}
