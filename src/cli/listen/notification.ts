/** A notification of the feed. */
export interface Notification {
  id: string
  type: string
  /** The alias of the candidate, or the id of the other record. */
  subject: string
  /** The JSON text from the service, on one line. */
  json: string
}

interface Subject {
  id?: unknown
  candidate_alias?: unknown
}

/** @throws Error if the text is not a notification */
export function parseNotification(json: string): Notification {
  const { id, type, ...rest } = JSON.parse(json) as Record<string, unknown>
  const { candidate_alias: alias, id: subjectId } = (rest.claim ??
    rest.candidate ??
    rest.test_clock ??
    rest.webhook_endpoint ??
    {}) as Subject
  if (typeof id !== 'string' || typeof type !== 'string') throw new Error('not a notification')
  return { id, type, subject: `${alias ?? subjectId ?? ''}`, json }
}
