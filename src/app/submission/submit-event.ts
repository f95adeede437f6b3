import type { Claim, ClaimAddress } from '../../domain/claims/claim.ts'
import type { LogEvent, Submission } from '../../domain/claims/event.ts'
import type { App } from '../app.ts'

export interface EventRequest {
  userId: string
  address: ClaimAddress
  submission: Submission
  /** The submission's payload as JSON. */
  payloadJson: string
}

export interface SubmittedEvent {
  event: LogEvent
  /** As it stands after the decision. */
  claim: Claim
  /** Of memory that its contract takes, estimated. */
  contractBytes: number
  /** The same event had been recorded before; nothing was done now. */
  replayed: boolean
}

/**
 * Records an event and decides the claim by it, in one atomic operation (§4.3, §3). Where the connection
 * breaks while the write is on its way, nobody knows whether it took effect: it is tried again, and the
 * event's id tells. The lost write cannot take effect after that one, since the version guards both.
 * @throws CLAIM_NOT_FOUND, CANDIDATE_NOT_FOUND, CLAIM_NOT_OPEN, EVENT_ID_CONFLICT, EVENT_LIMIT_REACHED,
 * UNAVAILABLE (its message says where the outcome is not known)
 */
export function submitEvent(app: App, request: EventRequest): Promise<SubmittedEvent> {
  return app.submissions.submit(request)
}
