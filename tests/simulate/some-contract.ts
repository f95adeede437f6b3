/** With windows of a minute and of nothing. */
export const SOME_CONTRACT = {
  price: 1,
  activity_window: 60,
  review_window: 0,
  fulfillment_condition: { event: 'done', gte: 2 },
  timeout_outcome: 'fail',
} as const
