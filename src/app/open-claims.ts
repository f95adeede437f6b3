import type { Claim } from '../domain/claim.ts'
import { ServiceError } from '../errors.ts'
import { findClaimSchemas } from '../storage/claim-schemas.ts'
import { type ClaimAddress, insertClaims, type NewClaim } from '../storage/claims.ts'
import type { Customer } from '../storage/customers.ts'
import { findTestClocks } from '../storage/test-clocks.ts'
import type { App } from './app.ts'
import { schemaNotFound, testClockNotFound } from './not-found.ts'
import type { ContractSource } from './resolve-contract.ts'

/** What a new claim or candidate is made of. */
export interface Opening {
  address: ClaimAddress
  customer: Customer
  source: ContractSource
  testClockId: string | null
}

/**
 * Opens claims or candidates of the account, each on its own: the claim, or why it was not opened, in the order of
 * the openings; those that are errors already stay so. Errors: TEST_CLOCK_NOT_FOUND, SCHEMA_NOT_FOUND,
 * CANDIDATE_ALIAS_CONFLICT.
 */
export async function openClaims(
  app: App,
  userId: string,
  openings: readonly (Opening | ServiceError)[],
): Promise<(Claim | ServiceError)[]> {
  const resolved = await resolve(app, userId, openings)
  const opened = new Map<NewClaim, Claim | ServiceError>()
  const claims = resolved.flatMap((claim) => (claim instanceof ServiceError ? [] : claim))
  for (const [testClockId, some] of Map.groupBy(claims, (claim) => claim.testClockId)) {
    const inserted = await insertClaims(app.db, some)
    for (const [i, claim] of some.entries()) {
      const error = inserted ? aliasConflict(claim.address) : testClockNotFound(`${testClockId}`)
      opened.set(claim, inserted?.[i] ?? error)
    }
  }
  return resolved.map((claim) => (claim instanceof ServiceError ? claim : (opened.get(claim) as Claim)))
}

/** Looks up what the openings name. */
async function resolve(
  app: App,
  userId: string,
  openings: readonly (Opening | ServiceError)[],
): Promise<(NewClaim | ServiceError)[]> {
  const valid = openings.flatMap((opening) => (opening instanceof ServiceError ? [] : opening))
  const clockIds = new Set(valid.flatMap(({ testClockId }) => testClockId ?? []))
  const schemaIds = new Set(valid.flatMap(({ source }) => ('schemaId' in source ? source.schemaId : [])))
  const clocks = clockIds.size === 0 ? [] : await findTestClocks(app.db, userId, [...clockIds])
  const schemas = schemaIds.size === 0 ? [] : await findClaimSchemas(app.db, userId, [...schemaIds])
  const knownClocks = new Set(clocks.map(({ id }) => id))
  const contracts = new Map(schemas.map(({ id, contract }) => [id, contract]))

  return openings.map((opening) => {
    if (opening instanceof ServiceError) return opening
    const { address, customer, source, testClockId } = opening
    if (testClockId !== null && !knownClocks.has(testClockId)) return testClockNotFound(testClockId)
    const schemaId = 'schemaId' in source ? source.schemaId : null
    const contract = 'schemaId' in source ? contracts.get(source.schemaId) : source.contract
    if (!contract) return schemaNotFound(`${schemaId}`)
    const customerExternalId = address.kind === 'candidate' ? customer.externalId : null
    return { address, userId, customerId: customer.id, customerExternalId, contract, schemaId, testClockId }
  })
}

/** Only a candidate's id can be taken: a claim's is new. */
function aliasConflict(address: ClaimAddress): ServiceError {
  const alias = address.kind === 'candidate' ? address.alias : address.id
  return new ServiceError(
    'CANDIDATE_ALIAS_CONFLICT',
    `The candidate alias ${JSON.stringify(alias)} is taken.`,
  )
}
