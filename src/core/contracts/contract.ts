import { type Condition, type Leaf, leavesOf, namedEventTypes } from './condition.ts'

/**
 * The terms of a claim (§2.1). It is kept as the document that was sent, so its fields keep the names of
 * the wire, and nothing ever changes it.
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
  /** A late event is stored, and is part of no evaluation. */
  strict_deadline?: boolean
}

/** §2.1a: what may happen to a CONFIRMED outcome under review. At least one of the conditions is there. */
export interface ReviewTerms {
  /** Over the events of the review. If it holds, the scheduled outcome becomes FAILED. */
  reversal_condition?: Condition
  /** An event that satisfies it begins a new review window. */
  restart_on?: EventTrigger
  /** Seconds from the beginning of the review: no restart extends the review beyond. There with `restart_on`. */
  max_duration?: number
}

/** A condition on one event: a leaf without an aggregate, or an OR of such leaves. */
export type EventTrigger = Leaf | { op: 'OR'; conditions: Leaf[] }

/** The part of a contract that a scheduled check needs. */
export type CheckTerms = Pick<Contract, 'review_window' | 'timeout_outcome'>

/**
 * A window in whole milliseconds, the unit of the service's times: rounded up, however little is beyond a millisecond,
 * so that none ends early; but not for the noise of binary fractions (1.1 s is 1100 ms, not 1101).
 */
export function windowMs(seconds: number): number {
  const ms = seconds * 1000
  const nearest = Math.round(ms)
  return Math.abs(ms - nearest) <= nearest * NOISE ? nearest : Math.ceil(ms)
}

/** The product is off by half a place at most, and so may be what the caller computed. */
const NOISE = 4 * Number.EPSILON

/** The conditions of a contract by their paths. */
export function conditionsByPath({ fulfillment_condition, review }: Contract): [ConditionPath, Condition][] {
  const all: [ConditionPath, Condition | undefined][] = [
    ['fulfillment_condition', fulfillment_condition],
    ['review.reversal_condition', review?.reversal_condition],
    ['review.restart_on', review?.restart_on],
  ]
  return all.filter((entry): entry is [ConditionPath, Condition] => entry[1] !== undefined)
}

export type ConditionPath = 'fulfillment_condition' | 'review.reversal_condition' | 'review.restart_on'

/** All conditions of the contract. */
export const conditionsOf = (contract: Contract): Condition[] =>
  conditionsByPath(contract).map(([, condition]) => condition)

/** The event types that can change the contract's outcome or its times. */
export function decisiveEventTypes(contract: Contract): string[] {
  return [...new Set(conditionsOf(contract).flatMap((condition) => [...namedEventTypes(condition)]))]
}

const hasAggregate = (contract: Contract): boolean =>
  conditionsOf(contract).some((condition) => leavesOf(condition).some((leaf) => leaf.aggregate !== undefined))

const known = new WeakMap<Contract, boolean>()

/**
 * Whether the contract has more than the five fields of §2.1. Claims of such a contract are decided with the time of
 * recording and from their whole log (`decideAt`). The result is kept: the question is asked for each event.
 */
export function isExtended(contract: Contract): boolean {
  let extended = known.get(contract)
  if (extended === undefined) {
    extended =
      contract.review !== undefined || contract.strict_deadline !== undefined || hasAggregate(contract)
    known.set(contract, extended)
  }
  return extended
}

/** Whether events need an id of the caller: a repeated event would count twice (§2.1a rule 2). */
export const needsEventIds = (contract: Contract): boolean =>
  isExtended(contract) && (contract.review !== undefined || hasAggregate(contract))
