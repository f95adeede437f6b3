import { demand } from './finding.ts'

/**
 * A number that only rises, and of which only the answers are known. A read must return at least what was written or read
 * before the read began, and at most what was sent.
 */
export class Rising {
  readonly name: string
  #sent: number
  #surely: number

  constructor(name: string, from: number) {
    this.name = name
    this.#sent = from
    this.#surely = from
  }

  /**
   * One writer at a time writes the next value. Several may write the same value. Returns the value, and a function
   * to call after the acknowledgement.
   */
  write(value: number = this.#sent + 1): { value: number; done: () => void } {
    this.#sent = Math.max(this.#sent, value)
    return { value, done: () => this.#raise(value) }
  }

  /** Call it before the request is sent, and the returned function with the value in the response. */
  read(): (shown: number) => void {
    const atLeast = this.#surely
    return (shown) => {
      demand(
        shown >= atLeast && shown <= this.#sent,
        () =>
          `${this.name} shows ${shown}, after ${atLeast} was seen and before ${this.#sent + 1} was written`,
      )
      this.#raise(shown)
    }
  }

  /** A lower bound of the value. */
  get surely(): number {
    return this.#surely
  }

  #raise(value: number): void {
    this.#surely = Math.max(this.#surely, value)
  }
}
