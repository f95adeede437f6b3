/** An error in an input: its path (`contract.price`, `conditions[0].event`) and its message. */
export interface Issue {
  path: string
  message: string
}
