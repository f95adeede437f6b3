import type { Claim } from '../domain/claim.ts'
import type { LogEvent } from '../domain/event.ts'
import { readClaim } from '../storage/claim-log.ts'
import type { ClaimAddress } from '../storage/claims.ts'
import type { App } from './app.ts'
import { claimNotFound } from './not-found.ts'

/** A claim or a candidate with its whole event log (§4.1, §4.2). */
export async function getClaim(
  app: App,
  userId: string,
  address: ClaimAddress,
): Promise<{ claim: Claim; log: LogEvent[] }> {
  const found = await readClaim(app.db, userId, address)
  if (!found) throw claimNotFound(address)
  return found
}
