import type { HistogramData } from './histogram.ts'
import type { ClaimPick } from './submissions.ts'

/** The phases of the load client. They run one after the other over the same connections. */
export interface Plan {
  url: string
  token: string
  connections: number
  phases: Phase[]
}

export interface Phase {
  requests: SubmitRequests | CreateRequests | ReadRequests | PostRequests
  /** The end of the phase: after a time or a number of requests. The warm-up is not counted. */
  until: { warmupMs: number; measureMs: number } | { warmupRequests: number; requests: number }
  /** Requests per second in an open loop. Null for a closed loop: each connection sends its next request immediately. */
  rate: number | null
}

export interface SubmitRequests {
  kind: 'submit'
  pick: ClaimPick
  /** Events per request. Above 1 they go to the batch endpoint. */
  batch: number
  /** Number of the first submission. A second run over the same claims needs other event ids. */
  first: number
}

export interface CreateRequests {
  kind: 'create'
  /** Number of customers that claims are created for. */
  customers: number
  /** A JSON field of each creation: its contract or the id of its schema. */
  source: string
  /** Each request has a new Idempotency-Key. */
  keyed?: true
}

export interface ReadRequests {
  kind: 'read'
  /** Requested in rotation. */
  paths: string[]
}

/** Sends the same body repeatedly to a server that answers 204. */
export interface PostRequests {
  kind: 'post'
  path: string
  body: string
}

/** The result of a phase. Only responses after the warm-up are counted. */
export interface PhaseResult {
  seconds: number
  responses: number
  /** Events accepted or claims created (201), or reads answered (200). */
  accepted: number
  statuses: Record<string, number>
  latency: HistogramData
  /** CPU time of the load client as a share of one core. */
  cpuShare: number
  /** Count of the requests sent, including the warm-up. */
  sent: number
  /** The number of each request that was not fully accepted, including the warm-up. */
  refused: number[]
  /** The beginning of the body of the first refusal. */
  firstRefusal: string | null
}

export type Message = { results: PhaseResult[] } | { error: string }
