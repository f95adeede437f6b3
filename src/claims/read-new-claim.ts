import type { Static } from 'typebox'
import type { Contract } from '../core/contracts/contract.ts'
import type { NewCandidateBody, NewClaimBody } from './claim-bodies.ts'
import type { CandidateRequest } from './create/create-candidates.ts'
import type { ClaimRequest } from './create/create-claims.ts'
import type { CreationTerms } from './create/create-claims-or-candidates.ts'
import type { ContractSource, RawContract } from './create/resolve-contract.ts'

export function readNewClaim(body: Static<typeof NewClaimBody>, place = 0): ClaimRequest {
  const { customer_id: customerId, reference = null } = body
  return { customerId: customerId.toLowerCase(), reference, place, ...readTerms(body) }
}

export function readNewCandidate(body: Static<typeof NewCandidateBody>, place = 0): CandidateRequest {
  return { alias: body.candidate_alias, place, customerExternalId: body.customer_uuid, ...readTerms(body) }
}

const readTerms = (body: Static<typeof NewClaimBody> | Static<typeof NewCandidateBody>): CreationTerms => ({
  source: readContractSource(body),
  testClockId: body.test_clock_id?.toLowerCase() ?? null,
  metadata: body.metadata ?? {},
  reminders: body.reminders ?? null,
})

export interface NewRequest {
  source: ContractSource
}

/** The request with its contract as raw JSON. */
export function withRawContract<Request extends NewRequest>(request: Request, item: RawContract): Request {
  if (!('contract' in request.source)) return request
  return { ...request, source: { contract: item } }
}

/** Validation has ensured that exactly one of the two is given. */
export function readContractSource(body: { contract?: Contract; schema_id?: string }): ContractSource {
  return body.schema_id === undefined
    ? { contract: body.contract as Contract }
    : { schemaId: body.schema_id.toLowerCase() }
}
