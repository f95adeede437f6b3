import { ELAPSED_TIME, type TimeMeasure } from '../calendars/working-time.ts'
import { type Condition, type Leaf, leavesOf, namedEventTypes } from './condition.ts'

/**
 * The terms of a claim (§2.1), as the caller sent them, so the fields have the names of the wire. Only the creation of a
 * claim changes them: it fills in the version of the calendar (§2.1a rule 20).
 */
export interface Contract {
  /** Major units of the account's currency. */
  price: number
  /** Seconds, fractions allowed. */
  activity_window: number
  /** Seconds, fractions allowed. */
  review_window: number
  fulfillment_condition: Condition
  timeout_outcome: 'confirm' | 'fail'
  review?: ReviewTerms
  /** Late events are stored and not evaluated. */
  strict_deadline?: boolean
  clock?: ClockTerms
}

/** §2.1a: how events can change a CONFIRMED outcome under review. At least one condition is present. */
export interface ReviewTerms {
  /** Over the events of the review. If it holds, the scheduled outcome becomes FAILED. */
  reversal_condition?: Condition
  /** An event that satisfies it begins a new review window. */
  restart_on?: EventTrigger
  /** The longest review, in seconds from its beginning. Present if `restart_on` is. */
  max_duration?: number
}

/** The windows of a claim that a calendar can apply to. */
export const WINDOWS = ['activity', 'review'] as const
export type Window = (typeof WINDOWS)[number]
/** The default of `applies_to`. */
export const DEFAULT_WINDOWS: readonly Window[] = ['activity']

/** §2.1a: which time counts for the windows. Without it every second counts. */
export interface ClockTerms {
  /** Only the working time of the calendar counts. The creation of a claim fills in the version, which never changes. */
  calendar?: { id: string; version?: number }
  /** The windows to which the calendar applies. Default: the activity window. Allowed only with `calendar`. */
  applies_to?: Window[]
  /** An event that satisfies it stops the activity window. Present if `resume_on` is. */
  pause_on?: EventTrigger
  /** An event that satisfies it continues the activity window. */
  resume_on?: EventTrigger
}

/** A condition on one event: a leaf without an aggregate, or an OR of such leaves. */
export type EventTrigger = Leaf | { op: 'OR'; conditions: Leaf[] }

/** The part of a contract that a scheduled check needs. */
export interface CheckTerms extends Pick<Contract, 'review_window' | 'timeout_outcome'> {
  /** How time passes for the review window. Left out: every millisecond counts. */
  reviewTime?: TimeMeasure
}

/** How time passes for a window of the contract. @param calendar the working time of the contract's calendar */
export const timeOfWindow = (contract: Contract, window: Window, calendar: TimeMeasure): TimeMeasure =>
  usesCalendar(contract, window) ? calendar : ELAPSED_TIME

/** Whether only the working time of the contract's calendar counts for the window. */
export function usesCalendar({ clock }: Contract, window: Window): boolean {
  const windows = clock?.calendar ? (clock.applies_to ?? DEFAULT_WINDOWS) : []
  return windows.includes(window)
}

/**
 * A window in whole milliseconds, the unit of the service's times. Rounded up, so that no window ends early, except for
 * the rounding error of binary fractions: 1.1 s is 1100 ms, not 1101.
 */
export function windowMs(seconds: number): number {
  const ms = seconds * 1000
  const nearest = Math.round(ms)
  return Math.abs(ms - nearest) <= nearest * ROUNDING_ERROR ? nearest : Math.ceil(ms)
}

/** Relative. Covers the rounding of the product and of the caller's own computation. */
const ROUNDING_ERROR = 4 * Number.EPSILON

/** The conditions of a contract by their paths. */
export function conditionsByPath({
  fulfillment_condition,
  review,
  clock,
}: Contract): [ConditionPath, Condition][] {
  const all: [ConditionPath, Condition | undefined][] = [
    ['fulfillment_condition', fulfillment_condition],
    ['review.reversal_condition', review?.reversal_condition],
    ['review.restart_on', review?.restart_on],
    ['clock.pause_on', clock?.pause_on],
    ['clock.resume_on', clock?.resume_on],
  ]
  return all.filter((entry): entry is [ConditionPath, Condition] => entry[1] !== undefined)
}

export type ConditionPath =
  | 'fulfillment_condition'
  | 'review.reversal_condition'
  | 'review.restart_on'
  | 'clock.pause_on'
  | 'clock.resume_on'

/** All conditions of the contract. */
export const conditionsOf = (contract: Contract): Condition[] =>
  conditionsByPath(contract).map(([, condition]) => condition)

/** The event types that can change a claim's outcome or due time. */
export function decisiveEventTypes(contract: Contract): string[] {
  return [...new Set(conditionsOf(contract).flatMap((condition) => [...namedEventTypes(condition)]))]
}

const hasAggregate = (contract: Contract): boolean =>
  conditionsOf(contract).some((condition) => leavesOf(condition).some((leaf) => leaf.aggregate !== undefined))

const known = new WeakMap<Contract, boolean>()

/**
 * Whether the contract has more than the five fields of §2.1. Claims of such a contract are decided with the time of
 * recording and from the log of their status (`decideAt`). The result is cached: this runs for each event.
 */
export function isExtended(contract: Contract): boolean {
  let extended = known.get(contract)
  if (extended === undefined) {
    extended =
      contract.review !== undefined ||
      contract.strict_deadline !== undefined ||
      contract.clock !== undefined ||
      hasAggregate(contract)
    known.set(contract, extended)
  }
  return extended
}

/** Whether events need an id of the caller: a repeated event would count twice (§2.1a rule 2). */
export const needsEventIds = (contract: Contract): boolean =>
  isExtended(contract) &&
  (contract.review !== undefined || contract.clock?.pause_on !== undefined || hasAggregate(contract))
