import type { Span, Tracing, Waited } from '../platform/observability/tracing.ts'
import type { PendingSubmission, SubmittedEvent } from './submission/pending-submission.ts'

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
