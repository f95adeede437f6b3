import type { App } from '../../app.ts'
import type { ClaimWithMetadata } from '../../core/claims/claim.ts'
import { customerNotFound } from '../../core/record-errors.ts'
import type { CreationKey } from '../../idempotency/idempotency-key-store.ts'
import { idOfReference, seedOfPlace } from '../claim-ids.ts'
import {
  type CreatedClaim,
  type CreationTerms,
  createClaimsOrCandidates,
} from './create-claims-or-candidates.ts'
import type { ReserveMemory } from './resolve-contract.ts'

export interface ClaimRequest extends CreationTerms {
  customerId: string
  /** The caller's own name for the claim; null for none. */
  reference: string | null
  /** Index in the request. */
  place: number
}

/**
 * Creates claims with contracts that do not change (§2.3). Returns for each request the claim, or the error
 * CUSTOMER_NOT_FOUND, TEST_CLOCK_NOT_FOUND, SCHEMA_NOT_FOUND or CLAIM_REFERENCE_CONFLICT.
 * @param key idempotency key of the request; null for none
 */
export async function createClaims(
  app: App,
  userId: string,
  requests: readonly ClaimRequest[],
  reserveMemory: ReserveMemory,
  key: CreationKey | null = null,
): Promise<(CreatedClaim | Error)[]> {
  if (requests.length === 0) return []
  const ids = new Set(requests.map(({ customerId }) => customerId))
  const found = await app.creations.customers.submit(userId, { userId, names: [...ids] })
  const customers = new Map(found.map((customer) => [customer.id, customer]))
  const creations = requests.map(({ customerId, reference, place, ...terms }) => {
    const customer = customers.get(customerId)
    if (!customer) return customerNotFound({ id: customerId })
    const seed = key && seedOfPlace(key.seed, place)
    const named = reference === null ? seed : idOfReference(userId, reference)
    const id = named ?? app.db.distribution.newClaimId()
    return {
      address: { kind: 'claim', id } as const,
      reference,
      seed,
      customer,
      ...terms,
    }
  })
  return createClaimsOrCandidates(app, userId, creations, reserveMemory, key)
}

/**
 * Creates one claim, whose contract is parsed.
 * @throws CUSTOMER_NOT_FOUND, TEST_CLOCK_NOT_FOUND, SCHEMA_NOT_FOUND, CLAIM_REFERENCE_CONFLICT
 */
export async function createClaim(
  app: App,
  userId: string,
  request: ClaimRequest,
  reserveMemory: ReserveMemory,
  key: CreationKey | null = null,
): Promise<ClaimWithMetadata> {
  const [claim] = await createClaims(app, userId, [request], reserveMemory, key)
  if (claim instanceof Error) throw claim
  return claim as ClaimWithMetadata
}
