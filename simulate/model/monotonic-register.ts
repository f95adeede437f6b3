import { assert } from './finding.ts'

/**
 * A linearizable register whose value only rises. A read returns at least the values that were acknowledged or read before
 * it began, and at most the largest value that was sent.
 */
export class MonotonicRegister {
  readonly name: string
  #sent: number
  #lowerBound: number

  constructor(name: string, from: number) {
    this.name = name
    this.#sent = from
    this.#lowerBound = from
  }

  /**
   * One writer at a time writes the next value; several may write the same value. Call `done` after the acknowledgement.
   */
  write(value: number = this.#sent + 1): { value: number; done: () => void } {
    this.#sent = Math.max(this.#sent, value)
    return { value, done: () => this.#raise(value) }
  }

  /** Call it before the request is sent, and the returned function with the value in the response. */
  read(): (shown: number) => void {
    const atLeast = this.#lowerBound
    return (shown) => {
      assert(
        shown >= atLeast && shown <= this.#sent,
        () =>
          `${this.name} shows ${shown}, after ${atLeast} was read and before ${this.#sent + 1} was written`,
      )
      this.#raise(shown)
    }
  }

  /** A lower bound of the value. */
  get lowerBound(): number {
    return this.#lowerBound
  }

  #raise(value: number): void {
    this.#lowerBound = Math.max(this.#lowerBound, value)
  }
}
