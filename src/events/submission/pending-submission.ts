import type { Claim, ClaimAddress } from '../../core/claims/claim.ts'
import type { LogEvent, Submission } from '../../core/claims/event.ts'
import { ServiceError, unavailable } from '../../kernel/errors.ts'
import type { Span } from '../../platform/observability/tracing.ts'
import type { Retry } from './submission-retry.ts'

export interface EventRequest {
  userId: string
  address: ClaimAddress
  submission: Submission
  /** The submission's payload as JSON. */
  payloadJson: string
  /** Of the request, if that is traced. */
  span?: Span | null | undefined
}

export interface SubmittedEvent {
  event: LogEvent
  /** As it stands after the decision. */
  claim: Claim
  /** Of memory that its contract takes, estimated. */
  contractBytes: number
  /** The same event had been recorded before; nothing was done now. */
  replayed: boolean
}

/** What came of a submission when it went to the database. */
export type SubmissionResult = SubmittedEvent | Error | Retry

/**
 * Hears what a submission came to, once. What it throws is lost: whoever may fail tells its caller by itself.
 * @param place of the submission among those that it hears of
 */
export type OnAnswer = (answer: SubmittedEvent | Error, place: number) => void

/** A submission from its arrival to its answer. It goes to the database as often as it takes, with what came of it. */
export class PendingSubmission {
  readonly request: EventRequest
  /** When it arrived; by performance.now(), in milliseconds. */
  readonly since = performance.now()
  /** The machine that had the claim when it arrived. */
  machine = 0
  /** What came of it this time. */
  result: SubmissionResult | null = null
  /** A write of it was lost on its way and may have taken effect. */
  lost: Retry | null = null
  /** Also while it is still on its way: its answer could not be waited for. */
  isAnswered = false
  /** It is not among those that wait, nor on its way. */
  hasLeft = false
  readonly #onAnswer: OnAnswer
  readonly #place: number

  constructor(request: EventRequest, onAnswer: OnAnswer, place = 0) {
    this.request = request
    this.#onAnswer = onAnswer
    this.#place = place
  }

  /** If an earlier write may have taken effect, no failure tells: the answer has to be found out. */
  takeResult(): SubmissionResult {
    const { result, lost } = this
    this.result = null
    if (result === null) return new Error('a submission came back without a result')
    return lost && result instanceof Error && !isRefusal(result) ? lost : result
  }

  /** @returns what its caller heard; null if that was before */
  answer(result: SubmittedEvent | Error): SubmittedEvent | Error | null {
    if (this.isAnswered) return null
    this.isAnswered = true
    // Its own lost write is what it was found to repeat.
    const isOwn = this.lost && !(result instanceof Error)
    const answer = isOwn ? { ...result, replayed: false } : result
    try {
      this.#onAnswer(answer, this.#place)
    } catch {
      // A fault with one answer must not keep the others of its group from theirs.
    }
    return answer
  }
}

const isRefusal = (error: Error) => error instanceof ServiceError && error.code !== 'UNAVAILABLE'

/** All of them come to the same. */
export function setResults(submissions: readonly PendingSubmission[], result: SubmissionResult): void {
  for (const one of submissions) one.result = result
}

/** The error of a submission that has waited too long. */
export function outOfPatience({ request, lost }: PendingSubmission): ServiceError {
  if (lost) return notKnown(request, lost.cause)
  return unavailable(
    `Too much happens at once to this ${request.address.kind}, to its test clock or to the service. The event was not recorded.`,
  )
}

/** The error of a submission whose statement takes too long. */
export const notKnown = ({ submission }: EventRequest, cause?: unknown) =>
  unavailable(
    `The connection to the database was lost while the event was being recorded, and whether it was is not known. Send it again with the id ${JSON.stringify(submission.id)}: that is safe.`,
    cause,
  )
