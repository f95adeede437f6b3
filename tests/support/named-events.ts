import type { NamedEvents } from '../../src/storage/claims/claim-rows.ts'

/** These claims, to each of which events with these ids are submitted. */
export const namedEvents = (claims: readonly string[], events: readonly string[] = []): NamedEvents =>
  new Map(claims.map((id) => [id, events]))
