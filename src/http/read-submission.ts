import { v7 as uuidv7 } from 'uuid'
import { MAX_PAYLOAD_BYTES, type Submission } from '../domain/event.ts'
import type { JsonObject } from '../domain/json.ts'
import { ServiceError } from '../errors.ts'
import type { SubmissionFields } from './schemas/submission.ts'

/**
 * Takes the fields with a meaning of their own out of the body; the rest is the payload.
 * @throws PAYLOAD_TOO_LARGE
 */
export function readSubmission(
  body: JsonObject & SubmissionFields,
  defaultId?: string,
): { submission: Submission; payloadJson: string } {
  const { id = defaultId ?? uuidv7(), type, claim_id: _, candidate_alias: __, ...rest } = body
  const payload = rest as JsonObject
  const payloadJson = JSON.stringify(payload)
  const payloadBytes = Buffer.byteLength(payloadJson)
  if (payloadBytes > MAX_PAYLOAD_BYTES) {
    throw new ServiceError(
      'PAYLOAD_TOO_LARGE',
      `The event's payload has ${payloadBytes} bytes as JSON; at most ${MAX_PAYLOAD_BYTES} are allowed.`,
    )
  }
  return { submission: { id, type, payload, payloadBytes }, payloadJson }
}
