import type { State, Status } from './contract.ts'
import type { JsonObject } from './json.ts'
import type { LogItem, Terms } from './replay.ts'

/** The outcome of a submission as its client knows it. */
export type Verdict =
  | { kind: 'recorded' | 'replayed'; event: LogItem | null; state: State | null; lateBy: number | null }
  | { kind: 'conflict' }
  | { kind: 'not open'; status: Status }
  | { kind: 'full' }
  /** §2.1a rule 2. */
  | { kind: 'id required' }
  /** The claim does not exist, because its clock was deleted. */
  | { kind: 'gone' }
  /** Certainly not stored. The reason is not the claim. */
  | { kind: 'refused'; status: number }
  /** No response, or one that says the outcome is unknown. */
  | { kind: 'unknown'; why: string }

export interface Submission {
  /** Null: the service generates one. */
  id: string | null
  type: string
  payload: JsonObject
  /** The client and the request, for messages. */
  source: string
  sentAt: number
  answeredAt: number
  verdict: Verdict
  /** The batch, which keeps the order within a claim. */
  batch?: number
}

/** A claim as a response showed it. */
export interface ClaimRead {
  /** The client and the request, for messages. */
  source: string
  sentAt: number
  answeredAt: number
  state: State
  /** Number of its log items, if the log was read. */
  items: number | null
  /** The response was an export, which does not show the clock. */
  isWithoutClock?: boolean
}

/** All submissions to a claim or candidate, and all reads. */
export interface ClaimHistory {
  name: string
  terms: Terms
  submissions: Submission[]
  reads: ClaimRead[]
  /** The longest log that was read so far. Every other one is a prefix of it. */
  longest: LogItem[]
}
