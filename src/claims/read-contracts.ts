import type { App } from '../app.ts'
import { readLongParts as readParts, readContracts as readStored } from './lists/claim-list-store.ts'

/** The contracts of the account's claims as JSON, by claim id. Deleted claims are missing. */
export function readContracts(
  app: App,
  userId: string,
  claimIds: readonly string[],
): Promise<Map<string, string>> {
  return readStored(app.db.reads.for(userId), claimIds)
}

/** Contracts and metadata, by claim id. */
export const readLongParts = (
  app: App,
  userId: string,
  claimIds: readonly string[],
): Promise<Map<string, { contract: string; metadata: string }>> =>
  readParts(app.db.reads.for(userId), claimIds)
