import type { App } from '../app.ts'
import type { Claim, ClaimAddress } from '../core/claims/claim.ts'
import { decisiveEventTypes } from '../core/contracts/contract.ts'
import { type ExplainedCondition, type ExplainedTransition, Explanation } from '../core/contracts/explain.ts'
import type { LogHint } from '../core/contracts/hints/log-hints.ts'
import { inSlices } from '../platform/concurrency/in-slices.ts'
import { whyAbsent } from './archived/absent-claim.ts'
import { findClaim } from './claim-store.ts'
import { type LoggedEvidence, readDecisiveEvents, readLogEnd, readOtherTypes } from './log-page-store.ts'

export interface ClaimExplanation {
  claim: Claim
  condition: ExplainedCondition
  /** So far, in their order. */
  transitions: ExplainedTransition[]
  hints: LogHint[]
}

/** Why the claim or candidate stands as it does. @throws CLAIM_NOT_FOUND, CANDIDATE_NOT_FOUND, CLAIM_ARCHIVED */
export async function explainClaim(
  app: App,
  userId: string,
  address: ClaimAddress,
): Promise<ClaimExplanation> {
  const db = app.db.reads.for(userId)
  const claim = await findClaim(db, userId, address)
  if (!claim) throw await whyAbsent(db, { userId, address })
  const explanation = new Explanation(claim)
  const types = decisiveEventTypes(claim.contract)
  let shown = 0
  for await (const page of readDecisiveEvents(db, claim, types)) {
    await inSlices(showEach(explanation, page))
    shown += page.length
  }
  const end = await readLogEnd(db, claim)
  // Deleted since, with its test clock, or archived.
  if (claim.eventCount > 0 && end.length === 0) throw await whyAbsent(db, { userId, address })
  if (shown < claim.eventCount) {
    for (const { type, ids } of await readOtherTypes(db, claim, types)) explanation.addType(type, ids)
  }
  const { condition, hints } = explanation
  return { claim, condition, transitions: explanation.transitions(end), hints }
}

function* showEach(explanation: Explanation, events: readonly LoggedEvidence[]): Generator<void, void> {
  for (const event of events) {
    explanation.add(event)
    yield
  }
}
