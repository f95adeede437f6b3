import type { FuzzContext } from './context.ts'
import { fillCaches } from './fill-caches.ts'
import type { FuzzedServer } from './fuzzed-server.ts'
import { findMemoryGrowth, type Memory } from './memory-growth.ts'

/** Per run, evenly spaced. */
const SAMPLES = 100
/** A garbage collection blocks the server. */
const MIN_REQUESTS_PER_SAMPLE = 500
const SHOWN_SAMPLES = 12

/** Detects memory leaks: samples the server's memory during a run. */
export class MemoryMonitor {
  readonly #server: FuzzedServer
  readonly #every: number
  readonly #samples: Memory[] = []
  #isFull = true
  #sent = 0

  /** @param requests number of requests of the run */
  constructor(server: FuzzedServer, requests: number) {
    this.#server = server
    this.#every = Math.max(MIN_REQUESTS_PER_SAMPLE, Math.ceil(requests / SAMPLES))
  }

  /** Fills the caches before the run, with an account of its own. */
  async fill(context: FuzzContext): Promise<void> {
    this.#isFull = await fillCaches(context, async () => (await this.#server.memory()).heapMb)
  }

  /** Takes a sample at regular numbers of requests. */
  async countRequest(): Promise<void> {
    if (++this.#sent % this.#every === 0) this.#samples.push(await this.#server.memory())
  }

  problems(): string[] {
    const unbounded = 'its heap grows with each claim without limit'
    return [...(this.#isFull ? [] : [unbounded]), ...findMemoryGrowth(this.#samples)]
  }

  describe(): string {
    const every = Math.ceil(this.#samples.length / SHOWN_SAMPLES)
    const shown = this.#samples.filter((_, i) => i % every === 0 || i === this.#samples.length - 1)
    const list = (key: keyof Memory) => shown.map((sample) => sample[key].toFixed(0)).join(' ')
    return [
      'memory after garbage collection in MB, from start to end:',
      `  heap ${list('heapMb')}`,
      `  outside the heap ${list('externalMb')}`,
      `  resident ${list('residentMb')}`,
    ].join('\n')
  }
}
