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
   * Of the next value there is one writer at a time; the same may be written by several.
   * Returns what to write, and what to call once it was acknowledged.
   */
  write(value: number = this.#sent + 1): { value: number; done: () => void } {
    this.#sent = Math.max(this.#sent, value)
    return { value, done: () => this.#raise(value) }
  }

  /** To be called before the request is sent; and what it returns, with what the answer shows. */
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

  /** What it surely is, or more. */
  get surely(): number {
    return this.#surely
  }

  #raise(value: number): void {
    this.#surely = Math.max(this.#surely, value)
  }
}
