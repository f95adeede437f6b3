import { unavailable } from '../../../kernel/errors.ts'
import type { RateCounter, RateGrant } from './rate-counts.ts'

/** The process that counts does nothing else that takes long. */
const PATIENCE_MS = 5_000

/** So many requests or items of an account. */
export interface Take {
  account: string
  wanted: number
}

interface Waiting extends Take {
  resolve: (grant: RateGrant) => void
  reject: (error: Error) => void
}

/** Counted by another process, for several together. It is asked once for what comes in one turn of the event loop. */
export class RemoteRateCounts implements RateCounter {
  readonly most: number
  readonly #ask: (question: number, takes: Take[]) => void
  #next: Waiting[] = []
  readonly #asked = new Map<number, { takes: Waiting[]; timer: NodeJS.Timeout }>()
  #questions = 0

  /** @param ask its answer comes to `grant`, in the order of the takes */
  constructor(most: number, ask: (question: number, takes: Take[]) => void) {
    this.most = most
    this.#ask = ask
  }

  /** @throws UNAVAILABLE if there is no answer in time */
  take(account: string, wanted: number): Promise<RateGrant> {
    if (this.#next.length === 0) setImmediate(() => this.#askForAll())
    return new Promise((resolve, reject) => {
      this.#next.push({ account, wanted, resolve, reject })
    })
  }

  /** The answer has come; perhaps too late. */
  grant(question: number, grants: readonly RateGrant[]): void {
    const asked = this.#asked.get(question)
    if (!asked) return
    this.#asked.delete(question)
    clearTimeout(asked.timer)
    for (const [i, { resolve }] of asked.takes.entries()) resolve(grants[i] as RateGrant)
  }

  #askForAll(): void {
    const takes = this.#next
    this.#next = []
    const question = this.#questions++
    const giveUp = () => {
      this.#asked.delete(question)
      for (const { reject } of takes) reject(unavailable('Requests of this account could not be counted.'))
    }
    this.#asked.set(question, { takes, timer: setTimeout(giveUp, PATIENCE_MS) })
    this.#ask(
      question,
      takes.map(({ account, wanted }) => ({ account, wanted })),
    )
  }
}
