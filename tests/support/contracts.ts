import type { Condition, Contract } from './source/contracts.ts'

/** A valid contract with long windows; give what the test is about. */
export function contractWith(terms: Partial<Contract> = {}): Contract & Record<string, never> {
  const contract: Contract = {
    price: 10,
    activity_window: 3600,
    review_window: 600,
    fulfillment_condition: { event: 'done' },
    timeout_outcome: 'fail',
    ...terms,
  }
  return contract as Contract & Record<string, never>
}

export const all = (...conditions: Condition[]): Condition => ({ op: 'AND', conditions })
export const any = (...conditions: Condition[]): Condition => ({ op: 'OR', conditions })
export const not = (condition: Condition): Condition => ({ op: 'NOT', condition })
