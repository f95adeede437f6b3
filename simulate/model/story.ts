import type { State, Status } from './contract.ts'
import type { JsonObject } from './json.ts'
import type { LogItem, Terms } from './replay.ts'

/** What became of a submission, as far as its sender can tell. */
export type Verdict =
  | { is: 'recorded' | 'replayed'; event: LogItem | null; state: State | null; lateBy: number | null }
  | { is: 'conflict' }
  | { is: 'not open'; status: Status }
  | { is: 'full' }
  /** §2.1a rule 2. */
  | { is: 'id required' }
  /** There is no such claim, since its clock was deleted. */
  | { is: 'gone' }
  /** Surely not stored, for a reason that has nothing to do with the claim. */
  | { is: 'refused'; status: number }
  /** No answer, or one that says that nobody knows. */
  | { is: 'unknown'; why: string }

export interface Submission {
  /** Null: the service makes one. */
  id: string | null
  type: string
  payload: JsonObject
  how: string
  sentAt: number
  answeredAt: number
  verdict: Verdict
  /** Of one batch, whose order within a claim is kept. */
  batch?: number
}

/** The claim as somebody saw it. */
export interface Look {
  how: string
  sentAt: number
  answeredAt: number
  state: State
  /** Items of its log, where that was read. */
  items: number | null
  /** Of a file, which does not tell of the clock. */
  isWithoutClock?: boolean
}

/** All that was done to a claim or candidate, and what was seen of it. */
export interface Story {
  name: string
  terms: Terms
  submissions: Submission[]
  looks: Look[]
  /** The longest log that was read so far; every other is its beginning. */
  longest: LogItem[]
}
