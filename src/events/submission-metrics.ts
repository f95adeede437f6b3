import { isExtended } from '../core/contracts/contract.ts'
import { ServiceError } from '../kernel/errors.ts'
import type { Metrics } from '../platform/observability/metrics.ts'
import type { QueuedRequest, Span, Tracing } from '../platform/observability/tracing.ts'
import type { PendingSubmission, SubmittedEvent } from './submission/pending-submission.ts'

interface Arrived {
  /** The time of arrival, by performance.now(). */
  since: number
}

/** Metrics of submissions. */
export class SubmissionMetrics {
  readonly #metrics: Metrics
  /** Submissions by outcome since the last scrape. Faster than a lookup of the series for each submission. */
  readonly #counts = new Map<string, number>()

  /** @param waiting returns the number of submissions that are queued or in flight */
  constructor(metrics: Metrics, waiting: () => number) {
    this.#metrics = metrics
    const { submissions, submissionsWaiting } = metrics.instruments
    metrics.onRead(() => {
      submissionsWaiting.set(waiting())
      for (const [outcome, count] of this.#counts) submissions.inc({ outcome }, count)
      this.#counts.clear()
    })
  }

  /** A group starts. */
  start(group: readonly Arrived[]): void {
    const { groupSize, submissionWaitSeconds } = this.#metrics.instruments
    groupSize.observe(group.length)
    const now = performance.now()
    for (const { since } of group) submissionWaitSeconds.observe((now - since) / 1_000)
  }

  end(result: SubmittedEvent | Error, { since }: Arrived): void {
    const { submissionSeconds, transitions } = this.#metrics.instruments
    const outcome = outcomeOf(result)
    this.#counts.set(outcome, (this.#counts.get(outcome) ?? 0) + 1)
    submissionSeconds.observe((performance.now() - since) / 1_000)
    if (result instanceof Error || !hasChangedStatus(result)) return
    transitions.inc({ by: 'event', to: result.claim.status })
  }
}

/**
 * Without extended terms only an OPEN claim records events, so any other status is new. With extended terms a claim
 * also records events in review: the status is new if the review starts with this event.
 */
const hasChangedStatus = ({ replayed, claim }: SubmittedEvent): boolean =>
  !replayed && (isExtended(claim.contract) ? claim.reviewStart === claim.eventCount : claim.status !== 'OPEN')

function outcomeOf(result: SubmittedEvent | Error): string {
  if (!(result instanceof Error)) return result.replayed ? 'repeated' : 'recorded'
  return result instanceof ServiceError ? result.code : 'INTERNAL_ERROR'
}

/** Traces of submissions: the time in the queue, and the group. */
export class SubmissionTraces {
  readonly #tracing: Tracing

  constructor(tracing: Tracing) {
    this.#tracing = tracing
  }

  /** A group starts. Null if none of its submissions is traced. */
  start(group: readonly PendingSubmission[], claims: number, node: number): Span | null {
    const queued: QueuedRequest[] = []
    for (const { request, since } of group)
      if (request.span) queued.push({ span: request.span, queuedAt: since })
    if (queued.length === 0) return null
    return this.#tracing.startSharedSpan('record events', queued, {
      'db.system.name': 'postgresql',
      'claimkeeper.group.events': group.length,
      'claimkeeper.group.claims': claims,
      'claimkeeper.machine': node,
    })
  }

  end(result: SubmittedEvent | Error, { request: { span } }: PendingSubmission): void {
    if (!span || result instanceof Error || !hasChangedStatus(result)) return
    this.#tracing.recordStatus(result.claim.id, result.claim.status, span)
  }
}
