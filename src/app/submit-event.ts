import { setTimeout as pause } from 'node:timers/promises'
import type { Claim } from '../domain/claim.ts'
import { decideSubmission } from '../domain/decide-submission.ts'
import type { LogEvent, Submission } from '../domain/event.ts'
import { EventLog } from '../domain/event-log.ts'
import { ServiceError, unavailable } from '../errors.ts'
import { appendEvent, readClaimToDecide } from '../storage/claim-log.ts'
import type { ClaimAddress } from '../storage/claims.ts'
import { type Connection, DatabaseAway } from '../storage/database.ts'
import type { App } from './app.ts'
import { claimNotFound } from './not-found.ts'

export interface EventRequest {
  userId: string
  address: ClaimAddress
  submission: Submission
}

export interface SubmittedEvent {
  event: LogEvent
  /** As it stands after the decision. */
  claim: Claim
  /** The same event had been recorded before; nothing was done now. */
  replayed: boolean
}

/** How long a submission may take before the caller is told to try again. */
const PATIENCE_MS = 5_000
const FIRST_PAUSE_MS = 50
const LONGEST_PAUSE_MS = 1_000

/**
 * Records an event and decides the claim by it, in one atomic operation (§4.3, §3). Where the connection
 * breaks while the write is on its way, nobody knows whether it took effect: it is tried again, and the
 * event's id tells. The lost write cannot take effect after that one, since the version guards both.
 * @throws CLAIM_NOT_FOUND, CANDIDATE_NOT_FOUND, CLAIM_NOT_OPEN, EVENT_ID_CONFLICT, EVENT_LIMIT_REACHED,
 * UNAVAILABLE (its message says where the outcome is not known)
 */
export async function submitEvent(app: App, request: EventRequest): Promise<SubmittedEvent> {
  const deadline = performance.now() + PATIENCE_MS
  let writeWasLost = false
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
    try {
      const submitted = await app.db.withConnection((connection) =>
        decideAndAppend(connection, request, deadline),
      )
      return { ...submitted, replayed: submitted.replayed && !writeWasLost }
    } catch (error) {
      if (!(error instanceof DatabaseAway)) throw error
      writeWasLost ||= !error.outcomeKnown
      if (!writeWasLost) throw error
      if (performance.now() > deadline) throw outcomeUnknown(request.submission.id, error)
      await pause(pauseMs)
    }
  }
}

/** Reads, decides and writes; again as long as another write comes between (§3 rule 3). */
async function decideAndAppend(
  connection: Connection,
  { userId, address, submission }: EventRequest,
  deadline: number,
): Promise<SubmittedEvent> {
  do {
    const seen = await readClaimToDecide(connection, userId, address, submission.id)
    if (!seen) throw claimNotFound(address)
    const { claim } = seen
    const decision = decideSubmission(
      claim,
      new EventLog(claim.contract.fulfillment_condition, seen.log),
      submission,
      seen.now,
    )
    switch (decision.kind) {
      case 'append': {
        const { event, state } = decision
        if (await appendEvent(connection, claim, event, submission.payloadBytes, state)) {
          return { event, claim: { ...claim, ...state }, replayed: false }
        }
        break
      }
      case 'replay':
        return { event: decision.event, claim, replayed: true }
      case 'id-conflict':
        throw new ServiceError(
          'EVENT_ID_CONFLICT',
          `The log holds an event with the id ${JSON.stringify(submission.id)} and other content.`,
        )
      case 'not-open':
        throw new ServiceError(
          'CLAIM_NOT_OPEN',
          `The ${address.kind} is ${claim.status}, not OPEN: it takes no events.`,
        )
      case 'log-full':
        throw new ServiceError('EVENT_LIMIT_REACHED', decision.message)
    }
  } while (performance.now() < deadline)
  throw unavailable(`Too many submissions to this ${address.kind} at once. The event was not recorded.`)
}

function outcomeUnknown(eventId: string, cause: unknown): ServiceError {
  return unavailable(
    `The connection to the database was lost while the event was being recorded, and whether it was is not known. Send it again with the id ${JSON.stringify(eventId)}: that is safe.`,
    cause,
  )
}
