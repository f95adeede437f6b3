import { Type } from 'typebox'
import { CLOCK_FIELDS, LateBy } from '../claims/claim-bodies.ts'
import { BECAUSE, ContractRef, EXAMPLE_CONTRACT, Hints } from '../contracts/contract-bodies.ts'
import { MAX_EVENTS, MAX_HINTS, MAX_LOG_HINTS } from '../core/limits.ts'
import { SUBMISSION_FIELDS } from '../events/submission-bodies.ts'
import type { JsonObject } from '../kernel/json.ts'
import {
  DateTime,
  DateTimeOrNull,
  InputTime,
  ScheduledOutcome,
  Status,
  Uuid,
} from '../platform/http/responses/field-schemas.ts'

export type SimulatedEventFields = JsonObject & { type: string; id?: string; at: string }

export const SimulatedEvent = Type.Unsafe<SimulatedEventFields>({
  title: 'SimulatedEvent',
  type: 'object',
  required: ['type', 'at'],
  properties: { ...SUBMISSION_FIELDS, at: InputTime('Time of the submission.') },
  additionalProperties: true,
})

export const SimulationRequestBody = Type.Object(
  {
    contract: Type.Optional(ContractRef),
    schema_id: Type.Optional(Uuid('Simulates the contract of this schema. Give either this or a contract.')),
    opened_at: Type.Optional(
      InputTime('Time of the claim’s creation. Default: the first event, or now without events.'),
    ),
    events: Type.Array(SimulatedEvent, { maxItems: MAX_EVENTS }),
    until: Type.Optional(InputTime('End of the simulation. Default: when the claim is terminal.')),
  },
  {
    oneOf: [{ required: ['contract'] }, { required: ['schema_id'] }],
    additionalProperties: false,
    examples: [
      {
        contract: EXAMPLE_CONTRACT,
        opened_at: '2026-01-01T09:00:00Z',
        events: [
          { at: '2026-01-01T11:30:00Z', type: 'ticket_resolved' },
          { at: '2026-01-01T15:00:00Z', type: 'satisfaction', value: 5 },
        ],
      },
    ],
  },
)

const ENTRY = Type.Unsafe({
  title: 'TimelineEntry',
  type: 'object',
  description: 'An event, accepted or refused, or a transition.',
  required: ['kind', 'at'],
  properties: {
    kind: Type.Enum(['event', 'transition']),
    at: DateTime('When it happens.'),
    event: { $ref: 'Event#' },
    accepted: Type.Boolean({ description: 'For an event: 200 or 201 in the live service.' }),
    code: Type.Enum(['CLAIM_NOT_OPEN', 'EVENT_ID_CONFLICT', 'EVENT_LIMIT_REACHED'], {
      description: 'For a refused event: the error of the live service.',
    }),
    replayed: Type.Boolean({
      description: 'For an accepted event: its id is in the log already, so nothing changes.',
    }),
    effect: Type.Enum(['reversed', 'restarted', 'paused', 'resumed'], {
      description:
        'For an accepted event: it reversed the outcome under review, restarted the review window, or stopped or continued the clock.',
    }),
    late_by: LateBy,
    from: Status,
    to: Status,
    because: BECAUSE,
  },
  additionalProperties: false,
})

export const SimulationBody = Type.Object(
  {
    opened_at: DateTime('When the claim is opened.'),
    timeline: Type.Array(ENTRY),
    final: Type.Object({
      status: Status,
      scheduled_outcome: ScheduledOutcome,
      status_since: DateTime('When it entered the status.'),
      due_at: DateTimeOrNull(
        'End of the current window; null in a terminal state, and while the clock is stopped.',
      ),
      ...CLOCK_FIELDS,
    }),
    hints: Hints(
      MAX_HINTS + MAX_LOG_HINTS,
      'Hints (§2.13): first about the whole contract, then about its parts, then about the accepted events.',
    ),
  },
  { $id: 'Simulation', description: 'The decisions of a contract over events. Nothing is stored.' },
)
