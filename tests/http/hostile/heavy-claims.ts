/* Claims whose contracts have many empty objects: each takes 64 bytes of memory for three of the text. */

export const emptyObjects = (count: number) => Array.from({ length: count }, () => ({}))

/** A contract that asks for such a payload. */
export const matching = (match: object) => ({
  price: 1,
  activity_window: 3_600_000,
  review_window: 0,
  timeout_outcome: 'fail',
  fulfillment_condition: { event: 'e', match },
})

export const heavyClaims = (customerId: string, count: number) =>
  Array.from({ length: count }, (_, i) => ({
    customer_id: customerId,
    contract: matching({ i, a: emptyObjects(20_000) }),
  }))
