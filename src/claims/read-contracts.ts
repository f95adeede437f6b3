import type { App } from '../app.ts'
import { readLongParts as readParts, readContracts as readStored } from './lists/claim-list-store.ts'

/** The contracts of these claims of the account as JSON, by the claims' ids; without those of claims that are gone. */
export function readContracts(
  app: App,
  userId: string,
  claimIds: readonly string[],
): Promise<Map<string, string>> {
  return readStored(app.db.reads.for(userId), claimIds)
}

/** Their contracts and metadata, by the claims' ids. */
export const readLongParts = (
  app: App,
  userId: string,
  claimIds: readonly string[],
): Promise<Map<string, { contract: string; metadata: string }>> =>
  readParts(app.db.reads.for(userId), claimIds)
