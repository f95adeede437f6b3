import { v7 as uuidv7 } from 'uuid'
import type { Claim } from '../domain/claim.ts'
import { insertClaim } from '../storage/claims.ts'
import { findCustomer } from '../storage/customers.ts'
import type { App } from './app.ts'
import { getTestClock } from './get-test-clock.ts'
import { customerNotFound, testClockNotFound } from './not-found.ts'
import { type ContractSource, resolveContract } from './resolve-contract.ts'

/** Opens a claim of the customer under a contract that is fixed from now on (§2.3). */
export async function createClaim(
  app: App,
  request: { userId: string; customerId: string; source: ContractSource; testClockId: string | null },
): Promise<Claim> {
  const customer = await findCustomer(app.db, request.userId, request.customerId)
  if (!customer) throw customerNotFound({ id: request.customerId })
  if (request.testClockId !== null) await getTestClock(app, request.userId, request.testClockId)
  const { contract, schemaId } = await resolveContract(app, request.userId, request.source)

  const claim = await insertClaim(app.db, {
    address: { kind: 'claim', id: uuidv7() },
    userId: request.userId,
    customerId: customer.id,
    customerExternalId: null,
    contract,
    schemaId,
    testClockId: request.testClockId,
  })
  // Its id is new, so what was in the way is that the clock is gone.
  if (!claim) throw testClockNotFound(`${request.testClockId}`)
  return claim
}
