import type { NamedEvents } from '../../src/claims/claim-row-store.ts'

/** Submissions of events with these ids to each of these claims. */
export const namedEvents = (claims: readonly string[], events: readonly string[] = []): NamedEvents =>
  new Map(claims.map((id) => [id, events]))
