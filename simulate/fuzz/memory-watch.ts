import type { FuzzedServer, Memory } from './fuzzed-server.ts'

const EVERY_MS = 20_000
/** What the heap may differ by between the halves of a run, in MB: copies of claims and tokens in memory have bounds of their own. */
const HEAP_SLACK_MB = 24
/** Of fewer measurements nothing is concluded. */
const ENOUGH = 8
const SHOWN = 12

/** Whether the server takes more memory the more it was asked. */
export class MemoryWatch {
  readonly #server: FuzzedServer
  readonly #marks: Memory[] = []
  #nextAt = 0

  constructor(server: FuzzedServer) {
    this.#server = server
  }

  /** Measures if it is time to. */
  async look(): Promise<void> {
    if (performance.now() < this.#nextAt) return
    this.#nextAt = performance.now() + EVERY_MS
    this.#marks.push(await this.#server.memory())
  }

  async flaws(): Promise<string[]> {
    this.#marks.push(await this.#server.memory())
    if (this.#marks.length < ENOUGH) return []
    const half = Math.floor(this.#marks.length / 2)
    const [first, second] = [this.#marks.slice(0, half), this.#marks.slice(half)].map(highestHeap)
    const grown = (second as number) - (first as number)
    return grown > HEAP_SLACK_MB ? [`its heap grew by ${grown.toFixed(0)} MB in the second half`] : []
  }

  describe(): string {
    const every = Math.ceil(this.#marks.length / SHOWN)
    const shown = this.#marks.filter((_, i) => i % every === 0 || i === this.#marks.length - 1)
    const list = (key: keyof Memory) => shown.map((mark) => mark[key].toFixed(0)).join(' ')
    return `heap ${list('heapMb')} MB; resident ${list('residentMb')} MB, garbage collected, from start to end`
  }
}

const highestHeap = (marks: Memory[]): number => Math.max(...marks.map(({ heapMb }) => heapMb))
