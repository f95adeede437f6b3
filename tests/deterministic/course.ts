import { VirtualTime } from './virtual-time.ts'

interface Step {
  what: string
  take: () => void
}

/**
 * What happens next is chosen by numbers, and where they have run out comes in its order, time last. fast-check's own
 * scheduler does not shrink the order that it took; numbers shrink to "in its order".
 */
export class Course {
  readonly time = new VirtualTime()
  #choices: Iterator<number>
  readonly #steps: Step[] = []
  /** What has happened, for the message of a failure. */
  readonly story: string[] = []
  taken = 0
  #later = 0

  constructor(choices: readonly number[]) {
    this.#choices = choices[Symbol.iterator]()
  }

  /** Steps that may be taken, now or later, beside that of time. */
  get waiting(): number {
    return this.#steps.length + this.#later
  }

  /** It may be taken from now on. */
  may(what: string, take: () => void): void {
    this.#steps.push({ what, take })
  }

  /** The step may be taken in `ms` milliseconds. */
  in(ms: number, what: string, take: () => void): void {
    this.#later++
    setTimeout(() => {
      this.#later--
      this.may(what, take)
    }, ms)
  }

  /** Whatever is left of the choices: from now on all comes in its order. */
  straighten(): void {
    this.#choices = [].values()
  }

  tell(what: string): void {
    this.story.push(`${String(this.time.nowMs).padStart(6)} ms  ${what}`)
  }

  /** Takes a step and all that follows at once from it. */
  async goOn(): Promise<void> {
    this.taken++
    const most = this.#steps.length - (this.time.waiting > 0 ? 0 : 1)
    const at = Math.min(this.#choices.next().value ?? 0, most)
    const [step] = this.#steps.splice(at, 1)
    if (step) this.tell(step.what)
    if (step) step.take()
    else this.time.goOn()
    await this.time.settle()
  }
}
