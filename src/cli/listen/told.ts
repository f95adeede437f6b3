/** A notification of the feed. */
export interface Told {
  id: string
  type: string
  /** What it is about: a candidate by its alias, anything else by its id. */
  subject: string
  /** As the service has written it, on one line. */
  json: string
}

interface Subject {
  id?: unknown
  candidate_alias?: unknown
}

/** @throws Error if it is none */
export function readTold(json: string): Told {
  const { id, type, ...rest } = JSON.parse(json) as Record<string, unknown>
  const { candidate_alias: alias, id: subjectId } = (rest.claim ??
    rest.candidate ??
    rest.test_clock ??
    rest.webhook_endpoint ??
    {}) as Subject
  if (typeof id !== 'string' || typeof type !== 'string') throw new Error('a notification that is none')
  return { id, type, subject: `${alias ?? subjectId ?? ''}`, json }
}
