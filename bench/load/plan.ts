import type { HistogramData } from './histogram.ts'
import type { ClaimPick } from './submissions.ts'

/** What the load client is to do, phase after phase, over the same connections. */
export interface Plan {
  url: string
  token: string
  connections: number
  phases: Phase[]
}

export interface Phase {
  requests: SubmitRequests | CreateRequests | ReadRequests | PostRequests
  /** Where it ends: after a time, or after a number of requests. What belongs to the warm-up is not counted. */
  until: { warmupMs: number; measureMs: number } | { warmupRequests: number; requests: number }
  /** Requests a second in an open loop; null for a closed loop, where each connection sends its next at once. */
  rate: number | null
}

export interface SubmitRequests {
  kind: 'submit'
  pick: ClaimPick
  /** Events a request; above 1 they go to the batch endpoint. */
  batch: number
  /** Number of the first submission: a second run over the same claims needs event ids of its own. */
  first: number
}

export interface CreateRequests {
  kind: 'create'
  /** How many customers there are to create claims for. */
  customers: number
  /** The contract of each, or the schema that it is from: a field of its JSON. */
  source: string
  /** Each with an Idempotency-Key of its own. */
  keyed?: true
}

export interface ReadRequests {
  kind: 'read'
  /** Asked for by turns. */
  paths: string[]
}

/** One body again and again, to a server that answers 204. */
export interface PostRequests {
  kind: 'post'
  path: string
  body: string
}

/** What came of a phase; counted are only answers after the warm-up. */
export interface PhaseResult {
  seconds: number
  answers: number
  /** Events accepted or claims created (201), or reads answered (200). */
  accepted: number
  statuses: Record<string, number>
  latency: HistogramData
  /** Processor time of the load client as a share of one core. */
  cpuShare: number
  /** Warm-up included: requests sent, and which of them were not accepted whole. */
  sent: number
  refused: number[]
  /** The first refusal's body, to explain itself. */
  firstRefusal: string | null
}

export type Message = { results: PhaseResult[] } | { error: string }
