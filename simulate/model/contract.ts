import type { Condition } from './condition.ts'

/** §2.1 */
export interface Contract {
  price: number
  activity_window: number
  review_window: number
  fulfillment_condition: Condition
  timeout_outcome: 'confirm' | 'fail'
}

export type Status = 'OPEN' | 'PENDING' | 'CONFIRMED' | 'FAILED'

/** What a claim shows of its state, in the words of the wire; times in milliseconds. */
export interface State {
  status: Status
  status_since: number
  scheduled_outcome: 'CONFIRMED' | 'FAILED' | null
  due_at: number | null
}

const MINUTE_MS = 60_000

/** The simulator's windows are whole milliseconds, so that there is nothing to round but noise. */
const windowMs = (seconds: number) => Math.round(seconds * 1000)

export const isWholeMinute = (time: number): boolean => time % MINUTE_MS === 0

export function opened(contract: Contract, at: number): State {
  return {
    status: 'OPEN',
    status_since: at,
    scheduled_outcome: null,
    due_at: at + windowMs(contract.activity_window),
  }
}

export function pending(contract: Contract, outcome: 'CONFIRMED' | 'FAILED', at: number): State {
  return {
    status: 'PENDING',
    status_since: at,
    scheduled_outcome: outcome,
    due_at: at + windowMs(contract.review_window),
  }
}

export function resolved(state: State, at: number): State {
  const outcome = state.scheduled_outcome as 'CONFIRMED' | 'FAILED'
  return { status: outcome, status_since: at, scheduled_outcome: outcome, due_at: null }
}

/** §3 rule 1: the first scheduled check that finds the window elapsed, after the one at which the state was entered. */
export function firstCheckOf({ status_since, due_at }: State): number {
  const due = due_at as number
  let minute = Math.floor(due / MINUTE_MS) * MINUTE_MS
  while (minute < due || minute <= status_since) minute += MINUTE_MS
  return minute
}
