import { type Condition, namedEventTypes } from './condition.ts'

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
}

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

/** The event types that can change the contract's outcome. */
export function decisiveEventTypes(contract: Contract): string[] {
  return [...namedEventTypes(contract.fulfillment_condition)]
}
