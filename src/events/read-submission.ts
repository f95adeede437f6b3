import type { FastifyRequest } from 'fastify'
import { v7 as uuidv7 } from 'uuid'
import type { Submission } from '../core/claims/event.ts'
import { LateSubmission } from '../core/claims/late-submission.ts'
import { MAX_PAYLOAD_BYTES } from '../core/claims/limits.ts'
import { ServiceError } from '../kernel/errors.ts'
import type { JsonObject } from '../kernel/json.ts'
import { weightOf } from '../platform/http/limits/work-memory.ts'
import type { SubmissionFields } from './submission-bodies.ts'

/** Bytes that a payload may take as an object while its submission waits. */
const LIGHT = 16 * 1024
/** One that has no more as JSON is no heavier. */
const SHORT = 512

/** Which claim or candidate a submission is for. Validation has ensured that it names exactly one. */
export function readAddress({ claim_id, candidate_alias }: SubmissionFields) {
  return claim_id === undefined
    ? ({ kind: 'candidate', alias: candidate_alias as string } as const)
    : ({ kind: 'claim', id: claim_id.toLowerCase() } as const)
}

/**
 * Takes the fields with a meaning of their own out of the body; the rest is the payload. It may be held among thousands:
 * a heavy payload stays text.
 * @throws PAYLOAD_TOO_LARGE
 */
export function readSubmission(
  body: JsonObject & SubmissionFields,
  defaultId?: string | null,
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
  const submission = isHeavy(payloadJson)
    ? new LateSubmission({ id, type, payloadBytes }, payloadJson)
    : { id, type, payload, payloadBytes }
  return { submission, payloadJson }
}

const isHeavy = (payloadJson: string): boolean =>
  payloadJson.length > SHORT && (payloadJson.length > LIGHT || weightOf(payloadJson) > LIGHT)

const RETURN_MINIMAL = /(^|[,;\s])return\s*=\s*"?minimal"?\s*($|[,;])/i

/** The header `Prefer: return=minimal`. */
export const prefersMinimal = ({ headers }: FastifyRequest): boolean =>
  headers.prefer !== undefined && RETURN_MINIMAL.test(`${headers.prefer}`)
