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
 * A window in whole milliseconds, the unit of the service's times: rounded up, so that none ends early, but
 * not for the noise of binary fractions (1.1 s is 1100 ms, not 1101).
 */
export function windowMs(seconds: number): number {
  return Math.ceil(Number((seconds * 1000).toFixed(3)))
}

/** The event types that can change the contract's outcome. */
export function decisiveEventTypes(contract: Contract): string[] {
  return [...namedEventTypes(contract.fulfillment_condition)]
}
