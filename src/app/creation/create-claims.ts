import type { Claim } from '../../domain/claims/claim.ts'
import type { App } from '../app.ts'
import { customerNotFound } from '../not-found.ts'
import { type OpenedClaim, openClaims } from './open-claims.ts'
import type { ContractSource, TakeMemory } from './resolve-contract.ts'

export interface ClaimRequest {
  customerId: string
  source: ContractSource
  testClockId: string | null
}

/**
 * Opens claims under contracts that are fixed from now on (§2.3). Each stands alone: it is the claim, or the error
 * CUSTOMER_NOT_FOUND, TEST_CLOCK_NOT_FOUND or SCHEMA_NOT_FOUND.
 */
export async function createClaims(
  app: App,
  userId: string,
  requests: readonly ClaimRequest[],
  takeMemory: TakeMemory,
): Promise<(OpenedClaim | Error)[]> {
  if (requests.length === 0) return []
  const ids = new Set(requests.map(({ customerId }) => customerId))
  const found = await app.creations.customers.do(userId, { userId, names: [...ids] })
  const customers = new Map(found.map((customer) => [customer.id, customer]))
  const openings = requests.map(({ customerId, source, testClockId }) => {
    const customer = customers.get(customerId)
    if (!customer) return customerNotFound({ id: customerId })
    return {
      address: { kind: 'claim', id: app.db.distribution.newClaimId() } as const,
      customer,
      source,
      testClockId,
    }
  })
  return openClaims(app, userId, openings, takeMemory)
}

/** Opens one claim, whose contract is at hand. @throws CUSTOMER_NOT_FOUND, TEST_CLOCK_NOT_FOUND, SCHEMA_NOT_FOUND */
export async function createClaim(
  app: App,
  userId: string,
  request: ClaimRequest,
  takeMemory: TakeMemory,
): Promise<Claim> {
  const [claim] = await createClaims(app, userId, [request], takeMemory)
  if (claim instanceof Error) throw claim
  return claim as Claim
}
