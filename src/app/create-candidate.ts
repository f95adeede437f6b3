import type { Claim } from '../domain/claim.ts'
import { ServiceError } from '../errors.ts'
import { insertClaim } from '../storage/claims.ts'
import { findCustomerByExternalId } from '../storage/customers.ts'
import type { App } from './app.ts'
import { getTestClock } from './get-test-clock.ts'
import { customerNotFound } from './not-found.ts'
import { type ContractSource, resolveContract } from './resolve-contract.ts'

/** Opens a candidate: a claim addressed by the caller's alias (§2.4). */
export async function createCandidate(
  app: App,
  request: {
    userId: string
    alias: string
    customerExternalId: string
    source: ContractSource
    testClockId: string | null
  },
): Promise<Claim> {
  const customer = await findCustomerByExternalId(app.db, request.userId, request.customerExternalId)
  if (!customer) throw customerNotFound({ externalId: request.customerExternalId })
  if (request.testClockId !== null) await getTestClock(app, request.userId, request.testClockId)
  const { contract, schemaId } = await resolveContract(app, request.userId, request.source)

  const candidate = await insertClaim(app.db, {
    address: { kind: 'candidate', alias: request.alias },
    userId: request.userId,
    customerId: customer.id,
    customerExternalId: customer.externalId,
    contract,
    schemaId,
    testClockId: request.testClockId,
  })
  if (!candidate) {
    // Its clock may have been deleted meanwhile; otherwise the alias was in the way.
    if (request.testClockId !== null) await getTestClock(app, request.userId, request.testClockId)
    throw new ServiceError(
      'CANDIDATE_ALIAS_CONFLICT',
      `The candidate alias ${JSON.stringify(request.alias)} is taken.`,
    )
  }
  return candidate
}
