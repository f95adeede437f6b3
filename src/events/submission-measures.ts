import { ServiceError } from '../kernel/errors.ts'
import type { Metrics } from '../platform/observability/metrics.ts'
import type { Span, Tracing, Waited } from '../platform/observability/tracing.ts'
import type { PendingSubmission, SubmittedEvent } from './submission/pending-submission.ts'

/** By performance.now(). */
interface Arrived {
  since: number
}

/** What is measured of submissions. */
export class SubmissionMeasures {
  readonly #metrics: Metrics
  /** By outcome, since the metrics were read: to look up the series takes longer than to count. */
  readonly #ended = new Map<string, number>()

  /** @param waiting reads how many there are that are not answered */
  constructor(metrics: Metrics, waiting: () => number) {
    this.#metrics = metrics
    const { submissions, submissionsWaiting } = metrics.instruments
    metrics.onRead(() => {
      submissionsWaiting.set(waiting())
      for (const [outcome, count] of this.#ended) submissions.inc({ outcome }, count)
      this.#ended.clear()
    })
  }

  /** These go to the database together. */
  go(group: readonly Arrived[]): void {
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
    // Only an OPEN claim records events, so what it is now came by this one.
    if (result instanceof Error || result.replayed || result.claim.status === 'OPEN') return
    transitions.inc({ by: 'event', to: result.claim.status })
  }
}

function outcomeOf(result: SubmittedEvent | Error): string {
  if (!(result instanceof Error)) return result.replayed ? 'repeated' : 'recorded'
  return result instanceof ServiceError ? result.code : 'INTERNAL_ERROR'
}

/** What traces have of submissions: how long each waited, and the group with which it went. */
export class SubmissionTraces {
  readonly #tracing: Tracing

  constructor(tracing: Tracing) {
    this.#tracing = tracing
  }

  /** These go to the database together. Null if none of them is traced. */
  go(group: readonly PendingSubmission[], claims: number, machine: number): Span | null {
    const waited: Waited[] = []
    for (const { request, since } of group) if (request.span) waited.push({ span: request.span, since })
    if (waited.length === 0) return null
    return this.#tracing.shared('record events', waited, {
      'db.system.name': 'postgresql',
      'claimkeeper.group.events': group.length,
      'claimkeeper.group.claims': claims,
      'claimkeeper.machine': machine,
    })
  }

  end(result: SubmittedEvent | Error, { request: { span } }: PendingSubmission): void {
    if (!span || result instanceof Error || result.replayed || result.claim.status === 'OPEN') return
    this.#tracing.brought(result.claim.id, result.claim.status, span)
  }
}
