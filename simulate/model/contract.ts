import type { Condition } from './condition.ts'
import { ELAPSED_TIME, type TimeMeasure, type WorkingHours, workingTime } from './working-time.ts'

/** §2.1, with the optional members of §2.1a. */
export interface Contract {
  price: number
  activity_window: number
  review_window: number
  fulfillment_condition: Condition
  timeout_outcome: 'confirm' | 'fail'
  review?: Review
  strict_deadline?: boolean
  clock?: Clock
}

/** How events reverse or restart a review. */
export interface Review {
  reversal_condition?: Condition
  restart_on?: Condition
  max_duration?: number
}

/** Which time counts for the windows. */
export interface Clock {
  calendar?: { id: string; version?: number }
  applies_to?: Window[]
  pause_on?: Condition
  resume_on?: Condition
}

export type Window = 'activity' | 'review'

export type Status = 'OPEN' | 'PENDING' | 'CONFIRMED' | 'FAILED'

/** The state of a claim with the names of the API. Times in milliseconds. */
export interface State {
  status: Status
  status_since: number
  scheduled_outcome: 'CONFIRMED' | 'FAILED' | null
  due_at: number | null
  /** Only of an OPEN claim whose contract has a clock. `remaining` is in seconds. Null while the clock runs. */
  paused_since?: number | null
  remaining?: number | null
}

export const isPaused = ({ status, due_at }: State): boolean => status === 'OPEN' && due_at === null

/** The state in notifications, which does not show the clock. */
export const withoutClock = ({ paused_since: _, remaining: __, ...state }: State): State => state

const MINUTE_MS = 60_000

/** The simulator's windows are whole milliseconds. Rounding removes only floating-point errors. */
export const windowMs = (seconds: number) => Math.round(seconds * 1000)

export const isWholeMinute = (time: number): boolean => time % MINUTE_MS === 0

/** How time passes for the window (§2.1a rule 19). @param hours of the calendar that the contract names */
export function timeOfWindow({ clock }: Contract, window: Window, hours: WorkingHours | null): TimeMeasure {
  const applies = clock?.calendar !== undefined && (clock.applies_to ?? ['activity']).includes(window)
  return applies ? workingTime(hours as WorkingHours) : ELAPSED_TIME
}

export function opened(contract: Contract, at: number, hours: WorkingHours | null = null): State {
  const time = timeOfWindow(contract, 'activity', hours)
  return {
    status: 'OPEN',
    status_since: at,
    scheduled_outcome: null,
    due_at: time.end(at, windowMs(contract.activity_window)),
    ...(contract.clock ? RUNNING : {}),
  }
}

export const RUNNING = { paused_since: null, remaining: null }

export function pending(
  contract: Contract,
  outcome: 'CONFIRMED' | 'FAILED',
  at: number,
  hours: WorkingHours | null = null,
): State {
  const time = timeOfWindow(contract, 'review', hours)
  return {
    status: 'PENDING',
    status_since: at,
    scheduled_outcome: outcome,
    due_at: time.end(at, windowMs(contract.review_window)),
  }
}

export function resolved(state: State, at: number): State {
  const outcome = state.scheduled_outcome as 'CONFIRMED' | 'FAILED'
  return { status: outcome, status_since: at, scheduled_outcome: outcome, due_at: null }
}

/** §2.1a: during the review a claim accepts events as long as they can change its outcome. */
export const acceptsEvents = ({ review }: Contract, { status, scheduled_outcome }: State): boolean =>
  status === 'OPEN' || (status === 'PENDING' && review !== undefined && scheduled_outcome === 'CONFIRMED')

/** §2.1a rule 2: if each event counts, a repeat must be distinguishable from a second event. */
export const needsEventIds = ({ review, clock, fulfillment_condition }: Contract): boolean =>
  review !== undefined || clock?.pause_on !== undefined || hasAggregate(fulfillment_condition)

function hasAggregate(condition: Condition): boolean {
  if ('event' in condition) return condition.aggregate !== undefined
  return condition.op === 'NOT' ? hasAggregate(condition.condition) : condition.conditions.some(hasAggregate)
}

/** The outcome is final: further events are refused. */
export const reversed = (state: State): State => ({ ...state, scheduled_outcome: 'FAILED' })

/** A whole review window from this time, at most until the maximum duration, and never shorter than before. */
export function restarted(contract: Contract, state: State, at: number, hours: WorkingHours | null): State {
  const { review_window, review } = contract
  const end = timeOfWindow(contract, 'review', hours).end(at, windowMs(review_window))
  const latest = state.status_since + windowMs(review?.max_duration as number)
  return { ...state, due_at: Math.max(state.due_at as number, Math.min(end, latest)) }
}

/** §2.1a rule 3: milliseconds by which an event at this time is late. Null if it is in time. */
export const latenessOf = ({ due_at }: State, at: number): number | null =>
  due_at !== null && at >= due_at ? at - due_at : null

/** §3 rule 1: the first scheduled check that finds the window elapsed, after the check at which the state was entered. */
export function firstCheckOf({ status_since, due_at }: Pick<State, 'status_since' | 'due_at'>): number {
  const due = due_at as number
  let minute = Math.floor(due / MINUTE_MS) * MINUTE_MS
  while (minute < due || minute <= status_since) minute += MINUTE_MS
  return minute
}
