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
  type CompletedAttempt,
  type DueDelivery,
  noteFailure,
  noteSuccess,
  pauseEndpoint,
  recordAttempts,
} from './sending-store.ts'
import type { AttemptResult } from './webhook-client.ts'

/** An attempt with its delivery and its result. */
export interface FinishedAttempt {
  due: DueDelivery
  /** URL of the attempt. The endpoint's URL may have changed since. */
  url: string
  /** By `performance.now()`. */
  startedAt: number
  result: AttemptResult
}

/** Records the results of attempts and schedules the next ones. Rejects after `RECORD_TIMEOUT_MS` without the database. */
export async function recordResults(
  db: Connection,
  endpointId: string,
  finished: readonly FinishedAttempt[],
  delaysMs: readonly number[],
): Promise<void> {
  const completed = finished.map(({ due, result }) => nextStep(due, result, delaysMs))
  const giveUpAt = performance.now() + RECORD_TIMEOUT_MS
  for (;;) {
    const now = performance.now()
    const attempts = completed.map((attempt, i) => ({
      ...attempt,
      agoMs: Math.round(now - (finished[i] as FinishedAttempt).startedAt),
    }))
    try {
      return await recordAttempts(db, endpointId, attempts)
    } catch (error) {
      if (performance.now() > giveUpAt) throw error
      await pause(RECORD_RETRY_INTERVAL_MS)
    }
  }
}

function nextStep(
  due: DueDelivery,
  result: AttemptResult,
  delaysMs: readonly number[],
): Omit<CompletedAttempt, 'agoMs'> {
  const { retryAfterMs, ...attempt } = result
  if (attempt.error === null) return { ...attempt, due, nextStatus: 'succeeded', waitMs: null }
  const waitMs = retryDelay(due.tries + 1, { delaysMs, retryAfterMs, chance: Math.random() })
  return { ...attempt, due, nextStatus: waitMs === null ? 'failed' : 'waiting', waitMs }
}

/** Status with which a receiver asks for no more deliveries. */
const GONE = 410

/** Adapts the number of attempts in flight to the responses of an endpoint, and stops a run that fails. */
export class EndpointThrottle {
  #concurrency = INITIAL_CONCURRENCY
  #streak = 0
  #isFailing = false
  #canContinue = true

  /** Attempts that may be in flight at once. */
  get concurrency(): number {
    return this.#concurrency
  }

  /** False after several failures in a row, or a response with status 410. */
  get canContinue(): boolean {
    return this.#canContinue
  }

  /** Takes over the state that another server or an earlier run recorded. */
  begin(isFailing: boolean): void {
    this.#isFailing = isFailing
    if (isFailing) this.#concurrency = MIN_CONCURRENCY
  }

  note({ error, status }: AttemptResult): void {
    this.#streak = error === null ? 0 : this.#streak + 1
    this.#concurrency =
      error === null
        ? Math.min(MAX_CONCURRENCY, this.#concurrency + 1)
        : Math.max(MIN_CONCURRENCY, this.#concurrency >> 1)
    if (this.#streak >= MAX_FAILURES_IN_A_ROW || status === GONE) this.#canContinue = false
  }

  /**
   * Records the endpoint's health after these responses. Returns the reason for disabling the endpoint and the URL
   * that failed, or null.
   */
  async record(
    db: Connection,
    id: string,
    finished: readonly FinishedAttempt[],
  ): Promise<{ reason: 'failing' | 'gone'; url: string } | null> {
    const gone = finished.find(({ result }) => result.status === GONE)
    if (gone) return { reason: 'gone', url: gone.url }
    if (finished.some(({ result }) => result.error === null)) {
      if (this.#isFailing) await noteSuccess(db, id)
      this.#isFailing = false
      if (this.#streak < MAX_FAILURES_IN_A_ROW) return null
    }
    const failingMs = await noteFailure(db, id)
    this.#isFailing = true
    const [last] = finished.slice(-1) as [FinishedAttempt]
    if (failingMs >= MAX_FAILING_MS) return { reason: 'failing', url: last.url }
    if (this.#streak >= MAX_FAILURES_IN_A_ROW) await pauseEndpoint(db, id, pauseOf(failingMs))
    return null
  }
}
