import type { NamedEvents } from '../../src/claims/claim-row-store.ts'

/** These claims, to each of which events with these ids are submitted. */
export const namedEvents = (claims: readonly string[], events: readonly string[] = []): NamedEvents =>
  new Map(claims.map((id) => [id, events]))
