import type { Borrower } from '../../platform/database/pool/borrower.ts'
import { waitUntilHeard } from '../revocation-store.ts'
import { revokeApiToken } from './api-token-store.ts'
import { LONGEST_TRUST_MS } from './token-owners.ts'

/**
 * Ends a token; when this resolves no server takes it any more. False if there is none with this id.
 * @param db in whose name it is done: many servers may have to be waited for
 */
export async function endToken(db: Borrower, id: string): Promise<boolean> {
  const number = await revokeApiToken(db, id)
  if (number === null) return false
  await waitUntilHeard(db, number, LONGEST_TRUST_MS)
  return true
}
