import type { FuzzedServer, Memory } from './fuzzed-server.ts'

/** Measurements in a run. */
const MARKS = 10
/** What the heap may differ by between the halves of a run, in MB. Copies of claims and tokens in memory have bounds of their own. */
const HEAP_SLACK_MB = 24
/** Below so many requests, the service's own copies are still filling. */
const ENOUGH_REQUESTS = 100_000

/** Whether the server takes more memory the more it was asked. */
export class MemoryWatch {
  readonly #server: FuzzedServer
  readonly #requests: number
  readonly #marks: Memory[] = []
  #next = 0

  constructor(server: FuzzedServer, requests: number) {
    this.#server = server
    this.#requests = requests
  }

  /** Measures where it is time to. */
  async at(sent: number): Promise<void> {
    if (sent < this.#next) return
    this.#next += this.#requests / MARKS
    this.#marks.push(await this.#server.memory())
  }

  async flaws(): Promise<string[]> {
    this.#marks.push(await this.#server.memory())
    if (this.#requests < ENOUGH_REQUESTS) return []
    const half = Math.floor(this.#marks.length / 2)
    const [first, second] = [this.#marks.slice(1, half + 1), this.#marks.slice(half + 1)].map(highestHeap)
    const grown = (second as number) - (first as number)
    return grown > HEAP_SLACK_MB ? [`its heap grew by ${grown.toFixed(0)} MB in the second half`] : []
  }

  describe(): string {
    const list = (key: keyof Memory) => this.#marks.map((mark) => mark[key].toFixed(0)).join(' ')
    return `heap ${list('heapMb')} MB; resident ${list('residentMb')} MB (after each tenth, garbage collected)`
  }
}

const highestHeap = (marks: Memory[]): number => Math.max(...marks.map(({ heapMb }) => heapMb))
