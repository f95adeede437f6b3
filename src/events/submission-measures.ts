import { isExtended } from '../core/contracts/contract.ts'
import { ServiceError } from '../kernel/errors.ts'
import type { Metrics } from '../platform/observability/metrics.ts'
import type { QueuedRequest, Span, Tracing } from '../platform/observability/tracing.ts'
import type { PendingSubmission, SubmittedEvent } from './submission/pending-submission.ts'

/** By performance.now(). */
interface Arrived {
  since: number
}

/** Metrics of submissions. */
export class SubmissionMeasures {
  readonly #metrics: Metrics
  /** Counts by outcome since the last scrape: a lookup of the series takes longer than counting here. */
  readonly #ended = new Map<string, number>()

  /** @param waiting returns the number of submissions that are queued or in flight */
  constructor(metrics: Metrics, waiting: () => number) {
    this.#metrics = metrics
    const { submissions, submissionsWaiting } = metrics.instruments
    metrics.onRead(() => {
      submissionsWaiting.set(waiting())
      for (const [outcome, count] of this.#ended) submissions.inc({ outcome }, count)
      this.#ended.clear()
    })
  }

  /** A batch starts. */
  start(group: readonly Arrived[]): void {
    const { groupSize, submissionWaitSeconds } = this.#metrics.instruments
    groupSize.observe(group.length)
    const now = performance.now()
    for (const { since } of group) submissionWaitSeconds.observe((now - since) / 1_000)
  }

  end(result: SubmittedEvent | Error, { since }: Arrived): void {
    const { submissionSeconds, transitions } = this.#metrics.instruments
    const outcome = outcomeOf(result)
    this.#ended.set(outcome, (this.#ended.get(outcome) ?? 0) + 1)
    submissionSeconds.observe((performance.now() - since) / 1_000)
    if (result instanceof Error || !hasChangedStatus(result)) return
    transitions.inc({ by: 'event', to: result.claim.status })
  }
}

/** Under a contract of the five fields only an OPEN claim records events. */
const hasChangedStatus = ({ replayed, claim }: SubmittedEvent): boolean =>
  !replayed && (isExtended(claim.contract) ? claim.reviewStart === claim.eventCount : claim.status !== 'OPEN')

function outcomeOf(result: SubmittedEvent | Error): string {
  if (!(result instanceof Error)) return result.replayed ? 'repeated' : 'recorded'
  return result instanceof ServiceError ? result.code : 'INTERNAL_ERROR'
}

/** Traces of submissions: the time in the queue, and the batch. */
export class SubmissionTraces {
  readonly #tracing: Tracing

  constructor(tracing: Tracing) {
    this.#tracing = tracing
  }

  /** A batch starts. Null if none of its submissions is traced. */
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
