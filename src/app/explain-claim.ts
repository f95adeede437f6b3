import { explain } from '../domain/explain.ts'
import type { ClaimAddress } from '../storage/claims.ts'
import type { App } from './app.ts'
import { getClaim } from './get-claim.ts'

/** Why the claim or candidate stands as it does. @throws CLAIM_NOT_FOUND, CANDIDATE_NOT_FOUND */
export async function explainClaim(app: App, userId: string, address: ClaimAddress) {
  const { claim, log } = await getClaim(app, userId, address)
  return { claim, ...explain(claim, log) }
}
