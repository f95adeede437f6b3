import type { Span, Tracing } from '../platform/observability/tracing.ts'
import type { DueDelivery } from './due-delivery-store.ts'
import type { SentAnswer } from './sent-answer.ts'

/** At the beginning of a notification's JSON. */
const TYPE = /"type":"(?:claim|candidate)\.(\w+)"/
const BEGINNING = 200

/** An attempt belongs to the trace of the request that it tells of, if this server had that. Null if it is not traced. */
export function traceAttempt(
  tracing: Tracing | null,
  { subjectId, notificationId, attempts, body }: DueDelivery,
  endpointId: string,
  url: string,
): Span | null {
  if (tracing === null) return null
  // Many a URL is a secret of whoever listens there; its host is none.
  const attributes = {
    'http.request.method': 'POST',
    'server.address': new URL(url).hostname,
    'http.request.resend_count': attempts,
    'claimkeeper.webhook_endpoint.id': endpointId,
    'claimkeeper.notification.id': notificationId,
    'claimkeeper.subject.id': subjectId,
  }
  return tracing.attempt('POST webhook', attributes, { claimId: subjectId, status: () => statusIn(body) })
}

/** @param answer null if it was broken off by a stop */
export function endAttempt(span: Span, answer: SentAnswer | null): void {
  const { status, error } = answer ?? { status: null, error: 'broken off' }
  const attributes = status === null ? {} : { 'http.response.status_code': status }
  span.end(attributes, error === null ? null : `${status ?? 'unanswered'}`)
}

/** Into which the claim came, if that is what it tells. */
function statusIn(body: string): string | null {
  const change = TYPE.exec(body.slice(0, BEGINNING))?.[1]
  if (change === undefined) return null
  return change === 'created' ? 'OPEN' : change.toUpperCase()
}
