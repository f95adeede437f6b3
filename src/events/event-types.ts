import type { App } from '../app.ts'
import type { KnownEventType } from '../core/records.ts'
import { findNewestClaims, readEventTypes } from './event-type-store.ts'

/** The types of the account's latest events, the most frequent first (§4.3). */
export async function listEventTypes(app: App, userId: string): Promise<KnownEventType[]> {
  const db = app.db.reads.for(userId)
  return readEventTypes(db, await findNewestClaims(db, userId))
}
