import { VirtualTime } from './virtual-time.ts'

interface Step {
  label: string
  run: () => void
}

/**
 * Runs one step at a time. Each choice is the index of the next step in the queue. Without choices, steps run in the order
 * of scheduling, and time advances when no step is left. fast-check's own scheduler cannot shrink the order of steps;
 * choices shrink to 0.
 */
export class StepScheduler {
  readonly time = new VirtualTime()
  #choices: Iterator<number>
  readonly #steps: Step[] = []
  /** The steps so far, for the message of a failure. */
  readonly trace: string[] = []
  stepCount = 0
  #later = 0

  constructor(choices: readonly number[]) {
    this.#choices = choices[Symbol.iterator]()
  }

  /** Steps in the queue or scheduled for later. */
  get pending(): number {
    return this.#steps.length + this.#later
  }

  /** Adds the step to the queue. */
  schedule(label: string, run: () => void): void {
    this.#steps.push({ label, run })
  }

  /** Adds the step to the queue after `ms` milliseconds. */
  scheduleIn(ms: number, label: string, run: () => void): void {
    this.#later++
    setTimeout(() => {
      this.#later--
      this.schedule(label, run)
    }, ms)
  }

  /** Drops the remaining choices. */
  runInOrder(): void {
    this.#choices = [].values()
  }

  log(line: string): void {
    this.trace.push(`${String(this.time.nowMs).padStart(6)} ms  ${line}`)
  }

  /** Runs a step and its microtasks, or advances time. */
  async runNext(): Promise<void> {
    this.stepCount++
    const max = this.#steps.length - (this.time.pendingTimers > 0 ? 0 : 1)
    const at = Math.min(this.#choices.next().value ?? 0, max)
    const [step] = this.#steps.splice(at, 1)
    if (step) this.log(step.label)
    if (step) step.run()
    else this.time.advance()
    await this.time.settle()
  }
}
