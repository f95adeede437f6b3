import { setTimeout as pause } from 'node:timers/promises'
import type { Connection } from '../platform/database/connection.ts'
import { RECORD_RETRY_INTERVAL_MS, RECORD_TIMEOUT_MS } from './limits.ts'
import { retryDelay } from './retry-schedule.ts'
import { type DueDelivery, type MadeAttempt, recordAttempts } from './sending-store.ts'
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
