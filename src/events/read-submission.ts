import type { FastifyRequest } from 'fastify'
import { v7 as uuidv7 } from 'uuid'
import { MAX_PAYLOAD_BYTES } from '../core/limits.ts'
import { ServiceError } from '../kernel/errors.ts'
import { type JsonObject, RawJson } from '../kernel/json.ts'
import { MAX_EAGER_JSON_LENGTH } from '../kernel/limits.ts'
import { estimatedSize } from '../platform/http/admission/request-memory.ts'
import { MAX_PARSED_PAYLOAD_BYTES } from './limits.ts'
import type { EventRequest } from './submission/pending-submission.ts'
import { addressOf, type SubmissionFields } from './submission-bodies.ts'

/**
 * The submission of a request or of an item of a batch.
 * @param id of an event without one; null for a new id
 * @param address by default the claim or candidate that the submission names
 * @throws PAYLOAD_TOO_LARGE
 */
export const readEventRequest = (
  { userId, logContext }: FastifyRequest,
  body: JsonObject & SubmissionFields,
  id: string | null,
  address = addressOf(body),
): EventRequest => ({ userId, span: logContext?.span, address, ...readSubmission(body, id) })

/**
 * Separates the fields of a submission from its payload. Thousands of submissions may wait, so a payload that takes much memory as
 * an object stays text.
 * @throws PAYLOAD_TOO_LARGE
 */
export function readSubmission(
  body: JsonObject & SubmissionFields,
  defaultId?: string | null,
): Pick<EventRequest, 'submission' | 'payloadJson' | 'hasMadeId'> {
  const hasMadeId = body.id === undefined && (defaultId ?? null) === null
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
  const submission = isOversized(payloadJson)
    ? { id, type, payload: new RawJson<JsonObject>(payloadJson), payloadBytes }
    : { id, type, payload, payloadBytes }
  return { submission, payloadJson, hasMadeId }
}

const isOversized = (payloadJson: string): boolean =>
  payloadJson.length > MAX_EAGER_JSON_LENGTH &&
  (payloadJson.length > MAX_PARSED_PAYLOAD_BYTES || estimatedSize(payloadJson) > MAX_PARSED_PAYLOAD_BYTES)
