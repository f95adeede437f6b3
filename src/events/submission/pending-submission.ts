import { claimIdOf } from '../../claims/claim-ids.ts'
import type { Claim, ClaimAddress } from '../../core/claims/claim.ts'
import type { LogEvent, Submission } from '../../core/claims/event.ts'
import type { TestClockReference } from '../../core/records.ts'
import { ServiceError, unavailable } from '../../kernel/errors.ts'
import { DatabaseUnavailable } from '../../platform/database/database-unavailable.ts'
import type { Span } from '../../platform/observability/tracing.ts'

export interface EventRequest {
  userId: string
  address: ClaimAddress
  submission: Submission
  /** The submission's payload as JSON. */
  payloadJson: string
  /** The server made the id: a repeated request would be another event. */
  hasMadeId?: boolean
  /** The span of a traced request. */
  span?: Span | null | undefined
}

export interface SubmittedEvent {
  event: LogEvent
  /** The claim after the decision. */
  claim: Claim
  /** Estimated memory of the contract. */
  contractBytes: number
  /** The same event was recorded before. Nothing was done now. */
  replayed: boolean
}

/** Why a submission runs again. */
type RetryReason =
  /** Another write changed the claim (§3 rule 3). */
  | 'stale'
  /** A deadlock, a lock timeout, or a shard that has moved. */
  | 'conflict'
  /** The test clock of the claim is being advanced. */
  | 'clock held'
  /** The log is too long to be read in a batch. */
  | 'long log'
  /** The contract and the log are too long to be read with the other claims of the batch. */
  | 'oversized'
  /** The connection broke. The write may have taken effect. */
  | 'outcome unknown'
  /** The database refused a statement for one of several submissions. */
  | 'refused in batch'

export interface SubmissionRetry {
  reason: RetryReason
  cause?: unknown
  lockedClock?: TestClockReference
  /** Bytes to read, of an oversized claim. */
  bytes?: number
}
export const STALE: SubmissionRetry = { reason: 'stale' }
export const LONG_LOG: SubmissionRetry = { reason: 'long log' }

/** The outcome of one run of a submission. */
export type SubmissionResult = SubmittedEvent | Error | SubmissionRetry

export const isRetry = (result: object): result is SubmissionRetry =>
  !(result instanceof Error) && 'reason' in result

/** What a failed statement means for each of its submissions. */
export function resultOfFailure(error: Error, submissions: number): SubmissionRetry | Error {
  if (!(error instanceof DatabaseUnavailable)) {
    return submissions === 1 ? error : { reason: 'refused in batch', cause: error }
  }
  if (error.outcome === 'unknown') return { reason: 'outcome unknown', cause: error }
  return error.isTransient ? { reason: 'conflict', cause: error } : error
}

/** The connection is lost, or the database accepts nothing: the rest of the batch runs later. */
export const endsBatch = (result: object): boolean =>
  result instanceof DatabaseUnavailable || (isRetry(result) && result.reason === 'outcome unknown')

/**
 * Receives the answer to a submission, once. An error that it throws is ignored.
 * @param index of the submission in its request
 */
export type OnAnswer = (answer: SubmittedEvent | Error, index: number) => void

/** A submission from its arrival to its answer. */
export class PendingSubmission {
  readonly request: EventRequest
  readonly claimId: string
  /** Arrival, by performance.now(), in milliseconds. */
  readonly since = performance.now()
  /** The result of the current run. */
  result: SubmissionResult | null = null
  readonly #onAnswer: OnAnswer
  readonly #index: number
  /** An earlier write may have taken effect. */
  #unknown: SubmissionRetry | null = null

  constructor(request: EventRequest, onAnswer: OnAnswer, index = 0) {
    this.request = request
    this.claimId = claimIdOf(request.address)
    this.#onAnswer = onAnswer
    this.#index = index
  }

  /**
   * The result of the run that has ended. After a write with an unknown outcome an error says nothing about that write, so the
   * submission runs again until the log shows the outcome.
   */
  takeResult(): SubmissionResult {
    const { result } = this
    this.result = null
    if (result === null) return new Error('a submission has no result')
    if (isRetry(result) && result.reason === 'outcome unknown') this.#unknown = result
    return this.#unknown && result instanceof Error && !isRefusal(result) ? this.#unknown : result
  }

  /** Returns what the caller received. */
  answer(result: SubmittedEvent | Error): SubmittedEvent | Error {
    // After an unknown outcome, the event that the submission repeats is its own.
    const isOwn = this.#unknown && !(result instanceof Error)
    const answer = isOwn ? { ...result, replayed: false } : result
    try {
      this.#onAnswer(answer, this.#index)
    } catch {
      // The submission is answered all the same.
    }
    return answer
  }

  /** The error of a submission that is not retried any more. */
  get timeoutError(): ServiceError {
    if (this.#unknown) return this.outcomeUnknown(this.#unknown.cause)
    return unavailable(
      `The event was not recorded: its ${this.request.address.kind}, its test clock or the service was busy. Send it again.`,
    )
  }

  /** The error of a submission whose statement has no answer. */
  outcomeUnknown(cause?: unknown): ServiceError {
    return unavailable(
      `The database did not confirm the event, and whether it was recorded is not known. Send it again with the id ${JSON.stringify(this.request.submission.id)}: that is safe.`,
      cause,
    )
  }
}

const isRefusal = (error: Error) => error instanceof ServiceError && error.code !== 'UNAVAILABLE'

export function setResults(submissions: readonly PendingSubmission[], result: SubmissionResult): void {
  for (const one of submissions) one.result = result
}
