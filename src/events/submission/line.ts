import type { PendingSubmission } from './pending-submission.ts'

/** The submissions of one account to one claim, in their order. */
export interface Line {
  readonly claimId: string
  /** That had the claim when the first of them arrived: see `Distribution`. */
  readonly machine: number
  readonly account: Account
  readonly waiting: PendingSubmission[]
  /** It waits for something else than its turn: a pause before another try, a test clock. */
  isParked: boolean
  /** What was sent of it with others was refused: one goes by itself, so that it shows which is at fault. */
  goesAlone: boolean
  /** What there is to read of its claim, if a group of many has found it heavy; else 0. */
  heavyBytes: number
  /** The last pause that was made before another try, in milliseconds. */
  pauseMs: number
}

export interface Account {
  readonly userId: string
  /** By claim. */
  readonly lines: Record<string, Line>
  /** Those of which something can be taken now, by their machine and kind. */
  readonly open: Record<number, Record<Kind, Line[]>>
  readonly all: Load
  /** By the machine that has the claims. */
  readonly at: Record<number, Load>
}

/** Submissions that are not answered yet, those on their way included. */
export interface Load {
  waiting: number
  bytes: number
}

/** What a group takes of a line. */
export interface Taken {
  readonly line: Line
  readonly submissions: readonly PendingSubmission[]
}

/** Heavy lines go by themselves: reading their claims takes long, and the others do not wait for it. */
export type Kind = 'light' | 'heavy'
