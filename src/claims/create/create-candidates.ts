import type { App } from '../../app.ts'
import type { NotedClaim } from '../../core/claims/claim.ts'
import { customerNotFound } from '../../core/not-found.ts'
import type { CreationKey } from '../../idempotency/idempotency-key-store.ts'
import type { Metadata } from '../../kernel/metadata.ts'
import { seedOfPlace } from '../candidate-id.ts'
import { openCandidates } from './open-candidates.ts'
import type { OpenedClaim } from './open-claims.ts'
import type { ContractSource, TakeMemory } from './resolve-contract.ts'

export interface CandidateRequest {
  alias: string
  /** Among all of the request, from 0 on. */
  place: number
  customerExternalId: string
  source: ContractSource
  testClockId: string | null
  metadata: Metadata
}

/**
 * Opens candidates: claims addressed by the caller's aliases (§2.4). Each stands alone: it is the candidate, or the
 * error CUSTOMER_NOT_FOUND, TEST_CLOCK_NOT_FOUND, SCHEMA_NOT_FOUND, CANDIDATE_ALIAS_CONFLICT or RATE_LIMITED.
 * @param key of a request that may be sent again; null for none
 */
export async function createCandidates(
  app: App,
  userId: string,
  requests: readonly CandidateRequest[],
  takeMemory: TakeMemory,
  key: CreationKey | null = null,
): Promise<(OpenedClaim | Error)[]> {
  if (requests.length === 0) return []
  const names = new Set(requests.map(({ customerExternalId }) => customerExternalId))
  const found = await app.creations.customersByExternalId.do(userId, { userId, names: [...names] })
  const customers = new Map(found.map((customer) => [customer.externalId, customer]))
  const openings = requests.map(({ alias, place, customerExternalId, source, testClockId, metadata }) => {
    const customer = customers.get(customerExternalId)
    if (!customer) return customerNotFound({ externalId: customerExternalId })
    const address = { kind: 'candidate', alias } as const
    return {
      address,
      reference: null,
      seed: key && seedOfPlace(key.seed, place),
      customer,
      source,
      testClockId,
      metadata,
    }
  })
  return openCandidates(app, userId, openings, takeMemory, key)
}

/**
 * Opens one candidate, whose contract is at hand.
 * @throws CUSTOMER_NOT_FOUND, TEST_CLOCK_NOT_FOUND, SCHEMA_NOT_FOUND, CANDIDATE_ALIAS_CONFLICT, RATE_LIMITED
 */
export async function createCandidate(
  app: App,
  userId: string,
  request: CandidateRequest,
  takeMemory: TakeMemory,
  key: CreationKey | null = null,
): Promise<NotedClaim> {
  const [candidate] = await createCandidates(app, userId, [request], takeMemory, key)
  if (candidate instanceof Error) throw candidate
  return candidate as NotedClaim
}
