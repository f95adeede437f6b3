const MIB = 1024 * 1024
/** So much more than was left the last time is worth a collection, of all that is in the heap or belongs to it. */
const WORTH_IT = 32 * MIB
/** Of a processor's time; who takes more has something else to do, and comes to its own collections. */
const QUIET = 0.1

interface Looked {
  /** Milliseconds from any moment, and those of them that the process was at work. */
  ms: number
  cpuMs: number
}

/**
 * V8 collects what large requests leave behind when it needs room, and so not while nothing is asked of it: a server
 * would stay as large as its largest minute made it. It looks from time to time, and collects when all is quiet: that
 * holds the event loop for some tens of milliseconds, when hardly anyone needs it.
 */
export class MemoryToGiveBack {
  readonly #collect: () => Promise<unknown>
  #before: Looked | null = null
  #left = 0

  constructor(collect: () => Promise<unknown>) {
    this.#collect = collect
  }

  /** @param now counted on from one call to the next */
  async look(now: Looked = { ms: performance.now(), cpuMs: cpuMs() }): Promise<void> {
    const before = this.#before
    this.#before = now
    this.#left = Math.min(this.#left, held())
    const isQuiet = before !== null && now.cpuMs - before.cpuMs < QUIET * (now.ms - before.ms)
    if (!isQuiet || held() - this.#left < WORTH_IT) return
    await this.#collect()
    this.#left = held()
  }
}

function held(): number {
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

function cpuMs(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}
