/** Many durations at eight bytes each: the medians of millions of cases are exact. */
export class Durations {
  #values = new Float64Array(64)
  #count = 0
  #isSorted = true

  get count(): number {
    return this.#count
  }

  add(duration: number): void {
    if (this.#count === this.#values.length) {
      const larger = new Float64Array(this.#count * 2)
      larger.set(this.#values)
      this.#values = larger
    }
    this.#values[this.#count++] = duration
    this.#isSorted = false
  }

  /** From the shortest to the longest. */
  get sorted(): Float64Array {
    const values = this.#values.subarray(0, this.#count)
    if (!this.#isSorted) values.sort()
    this.#isSorted = true
    return values
  }

  /** Of an even count the mean of the middle two; null of none. */
  get median(): number | null {
    const values = this.sorted
    if (values.length === 0) return null
    const upper = values[Math.floor(values.length / 2)] as number
    const lower = values[Math.ceil(values.length / 2) - 1] as number
    return (lower + upper) / 2
  }
}
