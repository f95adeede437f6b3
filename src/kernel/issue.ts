/** One thing wrong with an input: where (`contract.price`, `conditions[0].event`) and what. */
export interface Issue {
  path: string
  message: string
}

/** Issues that are named at most: what is wrong in more places than these must not earn more work or a larger answer. */
export const MAX_ISSUES = 20
