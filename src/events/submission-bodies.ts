import { Type } from 'typebox'
import { RESERVED_FIELDS, RESERVED_TYPES } from '../core/claims/event.ts'
import { MAX_EVENT_NAME_LENGTH } from '../core/limits.ts'
import { KEY_OF_EVENTS } from '../idempotency/idempotency-key.ts'
import type { JsonObject } from '../kernel/json.ts'
import { CandidateAlias, SOME_UUID, Uuid } from '../platform/http/responses/field-schemas.ts'

const NAME = { type: 'string', minLength: 1, maxLength: MAX_EVENT_NAME_LENGTH }

/** The fields of a submission that have a meaning of their own; all others are its payload. */
export interface SubmissionFields {
  type: string
  id?: string
  claim_id?: string
  candidate_alias?: string
}

/** What every submission has, wherever it says which claim it is for. */
export const SUBMISSION_FIELDS = {
  type: {
    ...NAME,
    not: { enum: RESERVED_TYPES },
    description: `The event type. ${RESERVED_TYPES.join(' and ')} are reserved (§6 rule 3).`,
    examples: ['ticket_resolved'],
  },
  id: {
    ...NAME,
    description:
      'The caller’s own name for the event, unique within the claim; made by the server where it is missing. Sending it again with the same content is safe.',
    examples: ['evt-1'],
  },
  value: { description: 'Any JSON: what a condition compares where it names no field.', examples: [5] },
  ...Object.fromEntries(RESERVED_FIELDS.map((name) => [name, { not: {}, description: 'Reserved.' }])),
}

const PROPERTIES = {
  ...SUBMISSION_FIELDS,
  claim_id: Uuid('The claim that the event is for.'),
  candidate_alias: CandidateAlias,
}

/** A submission that must say itself which claim or candidate it is for. */
export const AddressedSubmission = Type.Unsafe<JsonObject & SubmissionFields>({
  title: 'AddressedSubmission',
  type: 'object',
  required: ['type'],
  properties: PROPERTIES,
  additionalProperties: true,
  oneOf: [{ required: ['claim_id'] }, { required: ['candidate_alias'] }],
  examples: [{ claim_id: SOME_UUID, id: 'evt-1', type: 'satisfaction', value: 5 }],
})

/** A submission on the path of its claim or candidate. */
export const Submission = Type.Unsafe<JsonObject & SubmissionFields>({
  title: 'Submission',
  type: 'object',
  required: ['type'],
  properties: PROPERTIES,
  additionalProperties: true,
  examples: [{ id: 'evt-1', type: 'satisfaction', value: 5 }],
})

export const SubmissionHeaders = Type.Object({
  ...KEY_OF_EVENTS,
  prefer: Type.Optional(
    Type.String({
      description: '`return=minimal` is answered 204 without a body.',
      examples: ['return=minimal'],
    }),
  ),
})
