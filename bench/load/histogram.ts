/** Steps within each power of two: the error of a latency is at most 0.8 %. */
const STEP_BITS = 7
const STEPS = 1 << STEP_BITS
const SIZE = (32 - STEP_BITS) * STEPS
const MAX_MICROSECONDS = 2 ** 31 - 1

/** The non-empty buckets as pairs of index and count, small enough to send to another process. */
export type HistogramData = [index: number, count: number][]

/** A histogram of latencies from 1 µs to half an hour. The width of a bucket grows with the latency. */
export class Histogram {
  readonly #counts = new Float64Array(SIZE)
  #total = 0

  static of(...parts: HistogramData[]): Histogram {
    const histogram = new Histogram()
    for (const [index, count] of parts.flat()) histogram.#add(index, count)
    return histogram
  }

  get count(): number {
    return this.#total
  }

  record(ms: number): void {
    const microseconds = Math.min(Math.max(Math.round(ms * 1000), 0), MAX_MICROSECONDS)
    this.#add(indexOf(microseconds), 1)
  }

  /** In milliseconds. 0 if the histogram is empty. */
  percentile(percent: number): number {
    const rank = Math.ceil((this.#total * percent) / 100)
    let seen = 0
    for (let index = 0; index < SIZE; index++) {
      seen += this.#counts[index] as number
      if (seen >= rank && seen > 0) return middleOf(index) / 1000
    }
    return 0
  }

  toData(): HistogramData {
    return [...this.#counts.entries()].filter(([, count]) => count > 0)
  }

  #add(index: number, count: number): void {
    this.#counts[index] = (this.#counts[index] as number) + count
    this.#total += count
  }
}

function indexOf(microseconds: number): number {
  const shift = Math.max(0, 31 - Math.clz32(microseconds) - STEP_BITS)
  return shift * STEPS + (microseconds >>> shift)
}

function middleOf(index: number): number {
  const shift = Math.max(0, Math.floor(index / STEPS) - 1)
  const first = (index - shift * STEPS) * 2 ** shift
  return first + (2 ** shift - 1) / 2
}
