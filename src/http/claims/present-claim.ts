import type { Static } from 'typebox'
import type { ClaimPage } from '../../app/claims/claim-page.ts'
import type { Claim, StoredClaim, WithContract } from '../../domain/claims/claim.ts'
import { presentEach } from '../protocol/lists.ts'
import { JsonText } from '../protocol/send-json.ts'
import type { CandidateSummaryBody, ClaimSummaryBody } from './claim-bodies.ts'

export function presentClaim<Form = Claim['contract']>(
  claim: WithContract<Claim, Form>,
): WithContract<Static<typeof ClaimSummaryBody>, Form> {
  const { id, reference, userId, customerId } = claim
  return { id, reference, user_id: userId, customer_id: customerId, ...presentState(claim) }
}

export function presentCandidate<Form = Claim['contract']>(
  claim: WithContract<Claim, Form>,
): WithContract<Static<typeof CandidateSummaryBody>, Form> {
  return {
    candidate_alias: claim.candidateAlias as string,
    customer_uuid: claim.customerExternalId as string,
    ...presentState(claim),
  }
}

/** As the kind of record that it is. */
export function presentEither<Form = Claim['contract']>(claim: WithContract<Claim, Form>) {
  return claim.candidateAlias === null ? presentClaim(claim) : presentCandidate(claim)
}

function presentState<Form>(claim: WithContract<Claim, Form>) {
  return {
    contract: claim.contract,
    status: claim.status,
    status_since: claim.statusSince.toISOString(),
    scheduled_outcome: claim.scheduledOutcome,
    due_at: claim.dueAt?.toISOString() ?? null,
    schema_id: claim.schemaId,
    schema_version: claim.schemaVersion,
    test_clock_id: claim.testClockId,
    created_at: claim.createdAt.toISOString(),
  }
}

/** A list's answer whose claims are read to the end while it is sent. */
export const presentClaimPage = (
  { claims, nextCursor }: ClaimPage,
  present: (claim: WithContract<Claim, JsonText>) => object,
) => ({
  data: presentEach(claims, (claim) => JsonText.ofObject(present(withContractText(claim)))),
  next_cursor: nextCursor,
})

/** The contract goes into the answer as it was stored. */
export const withContractText = (claim: StoredClaim): WithContract<Claim, JsonText> => ({
  ...claim,
  contract: new JsonText(claim.contract),
})
