import { setTimeout as pause } from 'node:timers/promises'
import type { Connection } from '../platform/database/connection.ts'
import {
  INITIAL_CONCURRENCY,
  MAX_CONCURRENCY,
  MAX_FAILING_MS,
  MAX_FAILURES_IN_A_ROW,
  MIN_CONCURRENCY,
  RECORD_RETRY_INTERVAL_MS,
  RECORD_TIMEOUT_MS,
} from './limits.ts'
import { pauseOf, retryDelay } from './retry-schedule.ts'
import {
  type DueDelivery,
  type MadeAttempt,
  noteFailure,
  noteSuccess,
  pauseEndpoint,
  recordAttempts,
} from './sending-store.ts'
import type { SentAnswer } from './webhook-client.ts'

/** An attempt with its delivery and its answer. */
export interface Answered {
  due: DueDelivery
  /** To which it was sent: the endpoint may have another one by now. */
  url: string
  /** By `performance.now()`. */
  startedAt: number
  answer: SentAnswer
}

/** Writes down what came of attempts, and when the next ones are. Rejects if the database is away for long. */
export async function recordAnswers(
  db: Connection,
  endpointId: string,
  answered: readonly Answered[],
  delaysMs: readonly number[],
): Promise<void> {
  const judged = answered.map(({ due, answer }) => judge(due, answer, delaysMs))
  const giveUpAt = performance.now() + RECORD_TIMEOUT_MS
  for (;;) {
    const now = performance.now()
    const made = judged.map((one, i) => ({
      ...one,
      agoMs: Math.round(now - (answered[i] as Answered).startedAt),
    }))
    try {
      return await recordAttempts(db, endpointId, made)
    } catch (error) {
      if (performance.now() > giveUpAt) throw error
      await pause(RECORD_RETRY_INTERVAL_MS)
    }
  }
}

function judge(
  due: DueDelivery,
  answer: SentAnswer,
  delaysMs: readonly number[],
): Omit<MadeAttempt, 'agoMs'> {
  const { retryAfterMs, ...attempt } = answer
  if (attempt.error === null) return { ...attempt, due, became: 'succeeded', waitMs: null }
  const waitMs = retryDelay(due.tries + 1, { delaysMs, retryAfterMs, chance: Math.random() })
  return { ...attempt, due, became: waitMs === null ? 'failed' : 'waiting', waitMs }
}

/** An answer's status that wants no more. */
const GONE = 410

/** How an endpoint is sent to, by what it has answered. */
export class EndpointPace {
  #width = INITIAL_CONCURRENCY
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
    if (isFailing) this.#width = MIN_CONCURRENCY
  }

  note({ error, status }: SentAnswer): void {
    this.#streak = error === null ? 0 : this.#streak + 1
    this.#width =
      error === null
        ? Math.min(MAX_CONCURRENCY, this.#width + 1)
        : Math.max(MIN_CONCURRENCY, this.#width >> 1)
    if (this.#streak >= MAX_FAILURES_IN_A_ROW || status === GONE) this.#mayGoOn = false
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
      if (this.#streak < MAX_FAILURES_IN_A_ROW) return null
    }
    const failingMs = await noteFailure(db, id)
    this.#isFailing = true
    const [last] = answered.slice(-1) as [Answered]
    if (failingMs >= MAX_FAILING_MS) return { reason: 'failing', url: last.url }
    if (this.#streak >= MAX_FAILURES_IN_A_ROW) await pauseEndpoint(db, id, pauseOf(failingMs))
    return null
  }
}
