import { type Static, Type } from 'typebox'
import { ContractRef, EXAMPLE_CONTRACT, Hints } from '../contracts/contract-bodies.ts'
import { NewReminders, Reminders } from '../contracts/reminder-bodies.ts'
import { MAX_HINTS } from '../core/limits.ts'
import type { JsonObject } from '../kernel/json.ts'
import { MetadataBody, NewMetadata } from '../platform/http/bodies/metadata-bodies.ts'
import {
  CandidateAlias,
  DateTime,
  DateTimeOrNull,
  ExternalId,
  ScheduledOutcome,
  SOME_UUID,
  Status,
  Uuid,
  UuidOrNull,
  VersionOrNull,
} from '../platform/http/responses/field-schemas.ts'

/** An item of an event log. An event also has every field of its submission, unchanged. */
const EventBody = Type.Unsafe<JsonObject | { id: string; type: string; created_at: string; system: boolean }>(
  {
    $id: 'Event',
    type: 'object',
    description:
      'An item of the event log, with every other field of the submission as it was sent; of keys that are whole numbers and of -0 see §2.1.',
    required: ['id', 'type', 'created_at', 'system'],
    properties: {
      id: Type.String({ description: 'Unique within the claim.', examples: ['evt-1'] }),
      type: Type.String({ examples: ['ticket_resolved'] }),
      created_at: DateTime('When the service recorded it.'),
      system: Type.Boolean({
        description: 'Appended by the service at a time-based transition (§6 rule 2).',
      }),
      value: { description: 'As it was sent.' },
    },
    additionalProperties: true,
    examples: [
      { id: 'evt-1', type: 'satisfaction', created_at: '2026-01-31T09:30:00.000Z', system: false, value: 5 },
    ],
  },
)
/** Stands beside the event, because a field of the event may have the same name. */
export const LateBy = Type.Optional(
  Type.Number({
    minimum: 0,
    description:
      'Seconds from the end of the window to the recording of the event; absent if the event was in time (§2.1a).',
    examples: [12.5],
  }),
)
export const EventRef = Type.Unsafe<Static<typeof EventBody>>({ $ref: 'Event#' })

/** Only for an OPEN claim whose clock can stop. */
export const CLOCK_FIELDS = {
  paused_since: Type.Optional(
    DateTimeOrNull(
      'Only if the contract has a clock and the claim is OPEN: when the clock was stopped; null while it runs.',
    ),
  ),
  remaining: Type.Optional(
    Type.Union([Type.Number(), Type.Null()], {
      description:
        'Beside paused_since: seconds of the activity window that are left when the clock continues; null while it runs.',
    }),
  ),
}

const STATE = {
  contract: ContractRef,
  status: Status,
  status_since: DateTime('When it entered its status.'),
  scheduled_outcome: ScheduledOutcome,
  due_at: DateTimeOrNull(
    'When the current window elapses; null in a terminal state, and while the clock is stopped.',
  ),
  ...CLOCK_FIELDS,
  reminders: Type.Optional(Reminders),
  schema_id: UuidOrNull('The schema that the contract was copied from.'),
  schema_version: VersionOrNull(
    'The version of that schema which has the contract; null if there is no schema, or it was not recorded yet.',
  ),
  test_clock_id: UuidOrNull('The test clock that it lives by; null for the real time.'),
  created_at: DateTime('When it was created.'),
}
const OF_WHOLE = {
  metadata: MetadataBody,
  events: Type.Array(EventRef, { description: 'The event log, in the order of recording.' }),
}

const REFERENCE = {
  minLength: 1,
  maxLength: 255,
  description: 'The caller’s own name for the claim, such as the number of an order.',
  examples: ['order-4711'],
}

const CLAIM_FIELDS = {
  id: Uuid('Made by the server; of the reference, if there is one.'),
  reference: Type.Unsafe<string | null>({
    ...REFERENCE,
    type: ['string', 'null'],
    description: `${REFERENCE.description} Null if it has none.`,
  }),
  user_id: Uuid('The account that it belongs to.'),
  customer_id: Uuid('The customer that it belongs to.'),
  ...STATE,
}
const CANDIDATE_FIELDS = {
  candidate_alias: CandidateAlias,
  customer_uuid: Type.String({
    ...ExternalId,
    description: 'The external_id of the customer that it belongs to.',
  }),
  ...STATE,
}

/** Not in the response to a submission, which contains the claim's state after the event. */
const OF_SUMMARY = { metadata: Type.Optional(MetadataBody) }

/** §2.3 */
export const ClaimSummaryBody = Type.Object(
  { ...CLAIM_FIELDS, ...OF_SUMMARY },
  {
    $id: 'ClaimSummary',
    description: 'A claim without its event log.',
  },
)
export const ClaimBody = Type.Object(
  { ...CLAIM_FIELDS, ...OF_WHOLE },
  { $id: 'Claim', description: 'A claim (§2.3).' },
)

/** §2.4 */
export const CandidateSummaryBody = Type.Object(
  { ...CANDIDATE_FIELDS, ...OF_SUMMARY },
  {
    $id: 'CandidateSummary',
    description: 'A candidate without its event log.',
  },
)
export const CandidateBody = Type.Object(
  { ...CANDIDATE_FIELDS, ...OF_WHOLE },
  { $id: 'Candidate', description: 'A candidate (§2.4): a claim addressed by the caller’s alias.' },
)

const OF_CREATED = {
  hints: Type.Optional(
    Hints(
      MAX_HINTS,
      'Hints to the contract (§2.13); only if there are any, and only in the response to the creation.',
    ),
  ),
}

export const CreatedClaimBody = Type.Object(
  { ...CLAIM_FIELDS, ...OF_WHOLE, ...OF_CREATED },
  { $id: 'CreatedClaim', description: 'A claim (§2.3), as its creation answers it.' },
)
export const CreatedCandidateBody = Type.Object(
  { ...CANDIDATE_FIELDS, ...OF_WHOLE, ...OF_CREATED },
  { $id: 'CreatedCandidate', description: 'A candidate (§2.4), as its creation answers it.' },
)

export const CLAIM_COMPONENTS = [
  EventBody,
  ClaimSummaryBody,
  ClaimBody,
  CreatedClaimBody,
  CandidateSummaryBody,
  CandidateBody,
  CreatedCandidateBody,
]

const TERMS = {
  schema_id: Type.Optional(Uuid('Copies the contract of this schema. Give either this or a contract.')),
  contract: Type.Optional(ContractRef),
  test_clock_id: Type.Optional(Uuid('Lives by this test clock in place of the real time.')),
  reminders: Type.Optional(NewReminders('Left out: those of the schema.')),
  metadata: Type.Optional(NewMetadata),
}
const ONE_SOURCE = {
  oneOf: [{ required: ['contract'] }, { required: ['schema_id'] }],
  additionalProperties: false,
}

export const NewClaimBody = Type.Object(
  {
    customer_id: Uuid('The customer that the claim belongs to.'),
    reference: Type.Optional(
      Type.String({
        ...REFERENCE,
        description: `${REFERENCE.description} Unique in the account: creating another with it answers 409.`,
      }),
    ),
    ...TERMS,
  },
  { ...ONE_SOURCE, title: 'NewClaim', examples: [{ customer_id: SOME_UUID, contract: EXAMPLE_CONTRACT }] },
)

export const NewCandidateBody = Type.Object(
  {
    candidate_alias: CandidateAlias,
    customer_uuid: Type.String({ ...ExternalId, description: 'The external_id of the customer.' }),
    ...TERMS,
  },
  {
    ...ONE_SOURCE,
    title: 'NewCandidate',
    examples: [{ candidate_alias: 'order-2026-000417', customer_uuid: 'acme', contract: EXAMPLE_CONTRACT }],
  },
)
