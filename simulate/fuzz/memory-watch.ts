import type { Seat } from './client.ts'
import { fillMemories } from './fill-memories.ts'
import type { FuzzedServer } from './fuzzed-server.ts'
import { grownMemory, type Memory } from './grown-memory.ts'

/** Of a run, evenly. */
const MARKS = 100
/** A collection holds the server for a moment. */
const LEAST_REQUESTS_A_MARK = 500
const SHOWN = 12

/** Whether the server takes more memory the more it was asked. */
export class MemoryWatch {
  readonly #server: FuzzedServer
  readonly #every: number
  readonly #marks: Memory[] = []
  #isFull = true
  #sent = 0

  /** @param requests that are to be sent */
  constructor(server: FuzzedServer, requests: number) {
    this.#server = server
    this.#every = Math.max(LEAST_REQUESTS_A_MARK, Math.ceil(requests / MARKS))
  }

  /** Before the run, with an account for this alone. */
  async fill(seat: Seat): Promise<void> {
    this.#isFull = await fillMemories(seat, async () => (await this.#server.memory()).heapMb)
  }

  /** Measures if it is time to. */
  async countRequest(): Promise<void> {
    if (++this.#sent % this.#every === 0) this.#marks.push(await this.#server.memory())
  }

  flaws(): string[] {
    const notFull = 'its heap grows with each claim, without end'
    return [...(this.#isFull ? [] : [notFull]), ...grownMemory(this.#marks)]
  }

  describe(): string {
    const every = Math.ceil(this.#marks.length / SHOWN)
    const shown = this.#marks.filter((_, i) => i % every === 0 || i === this.#marks.length - 1)
    const list = (key: keyof Memory) => shown.map((mark) => mark[key].toFixed(0)).join(' ')
    return [
      'memory from start to end in MB, its garbage collected:',
      `  heap ${list('heapMb')}`,
      `  beside it ${list('externalMb')}`,
      `  resident ${list('residentMb')}`,
    ].join('\n')
  }
}
