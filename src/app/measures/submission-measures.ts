import { ServiceError } from '../../errors.ts'
import type { Metrics } from '../../metrics/metrics.ts'
import type { SubmittedEvent } from '../submission/pending-submission.ts'

/** By performance.now(). */
interface Arrived {
  since: number
}

/** What is measured of submissions. */
export class SubmissionMeasures {
  readonly #metrics: Metrics

  /** @param waiting reads how many there are that are not answered */
  constructor(metrics: Metrics, waiting: () => number) {
    this.#metrics = metrics
    metrics.onRead(() => metrics.instruments.submissionsWaiting.set(waiting()))
  }

  /** These go to the database together. */
  go(group: readonly Arrived[]): void {
    const { groupSize, submissionWaitSeconds } = this.#metrics.instruments
    groupSize.observe(group.length)
    const now = performance.now()
    for (const { since } of group) submissionWaitSeconds.observe((now - since) / 1_000)
  }

  end(result: SubmittedEvent | Error, { since }: Arrived): void {
    const { submissions, submissionSeconds, transitions } = this.#metrics.instruments
    submissions.inc({ outcome: outcomeOf(result) })
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
