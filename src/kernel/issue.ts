/** One thing wrong with an input: where (`contract.price`, `conditions[0].event`) and what. */
export interface Issue {
  path: string
  message: string
}
