import { performance } from 'node:perf_hooks'

const REDRAW_MS = 200
const PLAIN_LINE_MS = 10_000
const CLEAR_LINE = '\r\u001B[K'

/**
 * Shows progress on standard error: on a terminal in one line that is redrawn, otherwise as occasional plain lines.
 * Lines of `say` remain.
 */
export class Progress {
  readonly #startedAt = performance.now()
  readonly #isTerminal = process.stderr.isTTY === true
  #label = ''
  #shownAt = 0

  say(line: string): void {
    process.stderr.write(`${this.#isTerminal ? CLEAR_LINE : ''}${line}\n`)
  }

  /** Sets the current activity. */
  doing(label: string): void {
    this.#label = label
    if (this.#isTerminal) this.#draw('')
    else this.#plain('')
  }

  /** Shows the progress of the current activity, from 0 to 1. */
  at(fraction: number): void {
    const interval = this.#isTerminal ? REDRAW_MS : PLAIN_LINE_MS
    if (performance.now() - this.#shownAt < interval) return
    const percent = ` ${Math.floor(fraction * 100)} %`
    if (this.#isTerminal) this.#draw(percent)
    else this.#plain(percent)
  }

  /** Shows the elapsed part of the expected duration while the work runs. */
  async during<T>(label: string, ms: number, work: Promise<T>): Promise<T> {
    this.doing(label)
    const startedAt = performance.now()
    const timer = setInterval(() => this.at(Math.min((performance.now() - startedAt) / ms, 1)), REDRAW_MS)
    try {
      return await work
    } finally {
      clearInterval(timer)
    }
  }

  end(): void {
    if (this.#isTerminal) process.stderr.write(CLEAR_LINE)
  }

  #draw(suffix: string): void {
    this.#shownAt = performance.now()
    const text = `${this.#time()} ${this.#label}${suffix}`
    process.stderr.write(CLEAR_LINE + text.slice(0, (process.stderr.columns || 80) - 1))
  }

  #plain(suffix: string): void {
    this.#shownAt = performance.now()
    process.stderr.write(`${this.#time()} ${this.#label}${suffix}\n`)
  }

  #time(): string {
    const seconds = Math.floor((performance.now() - this.#startedAt) / 1000)
    return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
  }
}
