import type { Connection } from '../platform/database/connection.ts'
import type { Answered } from './record-answers.ts'
import { pauseOf } from './retry-schedule.ts'
import { noteFailure, noteSuccess, pauseEndpoint } from './sending-store.ts'
import type { SentAnswer } from './webhook-client.ts'

/** Attempts that are on their way at once: at first, if it has failed, and at most. */
const FIRST_WIDTH = 4
const PROBING_WIDTH = 1
export const MOST_WIDTH = 32
/** So many failures in a row, and it is left alone for a while. */
const LONGEST_STREAK = 5
/** So long without success, and it is disabled. */
const LONGEST_FAILING_MS = 5 * 24 * 3_600_000
/** An answer's status that wants no more. */
const GONE = 410

/** How an endpoint is sent to, by what it has answered. */
export class EndpointPace {
  #width = FIRST_WIDTH
  #streak = 0
  #isFailing = false
  #mayGoOn = true

  /** Attempts that may be on their way at once. */
  get width(): number {
    return this.#width
  }

  /** Whether it is to be sent anything more now. */
  get mayGoOn(): boolean {
    return this.#mayGoOn
  }

  /** What another server, or an earlier run, has found. */
  begin(isFailing: boolean): void {
    this.#isFailing = isFailing
    if (isFailing) this.#width = PROBING_WIDTH
  }

  note({ error, status }: SentAnswer): void {
    this.#streak = error === null ? 0 : this.#streak + 1
    this.#width =
      error === null ? Math.min(MOST_WIDTH, this.#width + 1) : Math.max(PROBING_WIDTH, this.#width >> 1)
    if (this.#streak >= LONGEST_STREAK || status === GONE) this.#mayGoOn = false
  }

  /** Writes down how the endpoint is after these answers. Returns why, and at which URL, it is to be disabled; or null. */
  async record(
    db: Connection,
    id: string,
    answered: readonly Answered[],
  ): Promise<{ reason: 'failing' | 'gone'; url: string } | null> {
    const gone = answered.find(({ answer }) => answer.status === GONE)
    if (gone) return { reason: 'gone', url: gone.url }
    if (answered.some(({ answer }) => answer.error === null)) {
      if (this.#isFailing) await noteSuccess(db, id)
      this.#isFailing = false
      if (this.#streak < LONGEST_STREAK) return null
    }
    const failingMs = await noteFailure(db, id)
    this.#isFailing = true
    const [last] = answered.slice(-1) as [Answered]
    if (failingMs >= LONGEST_FAILING_MS) return { reason: 'failing', url: last.url }
    if (this.#streak >= LONGEST_STREAK) await pauseEndpoint(db, id, pauseOf(failingMs))
    return null
  }
}
