import { MAX_PAYLOAD_BYTES, type Submission } from '../domain/event.ts'
import type { JsonObject } from '../domain/json.ts'
import { ServiceError } from '../errors.ts'
import type { SubmissionFields } from './schemas/submission.ts'

/**
 * Takes the fields with a meaning of their own out of the body; the rest is the payload.
 * @throws PAYLOAD_TOO_LARGE
 */
export function readSubmission(body: JsonObject & SubmissionFields, defaultId: string): Submission {
  const { id = defaultId, type, claim_id: _, candidate_alias: __, ...payload } = body
  const payloadBytes = Buffer.byteLength(JSON.stringify(payload))
  if (payloadBytes > MAX_PAYLOAD_BYTES) {
    throw new ServiceError(
      'PAYLOAD_TOO_LARGE',
      `The event's payload has ${payloadBytes} bytes as JSON; at most ${MAX_PAYLOAD_BYTES} are allowed.`,
    )
  }
  return { id, type, payload: payload as JsonObject, payloadBytes }
}
