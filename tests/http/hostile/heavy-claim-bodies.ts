import { contractWith } from '../../support/contracts.ts'
import type { JsonObject } from '../../support/source/json.ts'

/* Claims whose contracts have many empty objects: each takes 64 bytes of memory for three of the text. */

export const emptyObjects = (count: number) => Array.from({ length: count }, () => ({}))

/** A contract that asks for such a payload. */
export const matching = (match: JsonObject) => contractWith({ fulfillment_condition: { event: 'e', match } })

export const heavyClaimBodies = (customerId: string, count: number) =>
  Array.from({ length: count }, (_, i) => ({
    customer_id: customerId,
    contract: matching({ i, a: emptyObjects(20_000) }),
  }))
