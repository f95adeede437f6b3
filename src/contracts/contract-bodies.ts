import { Type } from 'typebox'
import { RESERVED_TYPES } from '../core/claims/event.ts'
import { COMPARATORS } from '../core/contracts/comparators.ts'
import { AGGREGATES } from '../core/contracts/condition.ts'
import { type Contract, DEFAULT_WINDOWS, WINDOWS } from '../core/contracts/contract.ts'
import { HINT_CODES } from '../core/contracts/hints/hints.ts'
import { LOG_HINT_CODES } from '../core/contracts/hints/log-hints.ts'
import {
  MAX_CONDITION_DEPTH,
  MAX_CONDITION_NODES,
  MAX_CONTRACT_BYTES,
  MAX_EXPLAINED_DATES,
  MAX_EXPLAINED_EVENTS,
  MAX_EXPLAINED_PERIODS,
  MAX_HINT_EVENTS,
  MAX_LOG_HINTS,
  MAX_NAME_LENGTH,
  MAX_PRICE,
  MAX_WINDOW_SECONDS,
  MAX_WORKING_SECONDS,
} from '../core/limits.ts'
import {
  DateTime,
  DateTimeOrNull,
  ScheduledOutcome,
  Status,
} from '../platform/http/responses/field-schemas.ts'

/*
 * The published schema of a contract. The domain validates contracts (it names the exact node, and works without
 * HTTP). A property test checks that this schema accepts the same contracts. Limits of nodes, depth and bytes are
 * described in words.
 */

const NAME = { type: 'string', minLength: 1, maxLength: MAX_NAME_LENGTH }
const CONDITION = { $ref: 'FulfillmentCondition#' }

const SOME_COMPARATOR = { anyOf: COMPARATORS.map((name) => ({ required: [name] })) }

/** The conditions of a leaf on one event. */
const EVENT_FIELDS = {
  event: { ...NAME, description: 'The event type, compared exactly.' },
  match: {
    type: ['object', 'string', 'number', 'boolean'],
    description:
      'An object: every key must be in the event’s payload with an equal value (objects key by key, arrays and scalars whole). A scalar: equals the event’s `value`.',
  },
  field: {
    ...NAME,
    default: 'value',
    description: 'Path of the compared number in the payload: keys, joined by dots. Requires a comparator.',
  },
  ...Object.fromEntries(COMPARATORS.map((name) => [name, { type: 'number' }])),
}

const CONDITION_LEAF = {
  $id: 'ConditionLeaf',
  title: 'Leaf',
  type: 'object',
  description:
    'Satisfied if one event of the log satisfies all fields of the leaf. With `aggregate`: if the aggregate over all matching events of the type satisfies the comparators (§2.1a).',
  required: ['event'],
  additionalProperties: false,
  properties: {
    ...EVENT_FIELDS,
    aggregate: {
      enum: AGGREGATES,
      description:
        'The value that the comparators compare: the number of events (`count`, without `field`), the exact sum of their numbers at `field` (`sum`), or the number of different strings, numbers and booleans at `field` (`distinct`). Without events each is 0.',
    },
  },
  dependentSchemas: {
    field: SOME_COMPARATOR,
    aggregate: { ...SOME_COMPARATOR, properties: { event: { not: { enum: RESERVED_TYPES } } } },
  },
  not: { required: ['aggregate', 'field'], properties: { aggregate: { const: 'count' } } },
  examples: [
    { event: 'delivery', field: 'delay_minutes', lte: 30 },
    { event: 'delivered', match: { on_time: true }, aggregate: 'count', gte: 5 },
  ],
}

const EVENT_LEAF = {
  $id: 'EventLeaf',
  title: 'Leaf without aggregate',
  type: 'object',
  description: 'Satisfied by one event that satisfies all fields of the leaf.',
  required: ['event'],
  additionalProperties: false,
  properties: EVENT_FIELDS,
  dependentSchemas: { field: SOME_COMPARATOR },
}

const ANY_EVENT_LEAF = {
  $id: 'AnyEventLeaf',
  title: 'OR of leaves',
  type: 'object',
  description: 'Satisfied by an event that satisfies one of the leaves.',
  required: ['op', 'conditions'],
  additionalProperties: false,
  properties: {
    op: { const: 'OR' },
    conditions: { type: 'array', items: { $ref: 'EventLeaf#' }, minItems: 1 },
  },
}

const EVENT_TRIGGER = { oneOf: [{ $ref: 'EventLeaf#' }, { $ref: 'AnyEventLeaf#' }] }

const REVIEW_TERMS = {
  $id: 'ReviewTerms',
  type: 'object',
  description:
    'A review that events can reverse or restart (§2.1a). While the scheduled outcome is CONFIRMED, a PENDING claim accepts events. At least one of the two conditions is required.',
  additionalProperties: false,
  anyOf: [{ required: ['reversal_condition'] }, { required: ['restart_on'] }],
  dependentRequired: { restart_on: ['max_duration'], max_duration: ['restart_on'] },
  properties: {
    reversal_condition: {
      ...CONDITION,
      description:
        'When it holds over the events of the review, the scheduled outcome becomes FAILED, for good. It must not hold over no event.',
    },
    restart_on: {
      ...EVENT_TRIGGER,
      description: 'An event in time that satisfies it begins a whole new review window.',
    },
    max_duration: {
      type: 'number',
      minimum: 0,
      maximum: MAX_WINDOW_SECONDS,
      description:
        'Longest duration of the review in seconds, at least review_window. No restart extends the review beyond it.',
    },
  },
  examples: [
    {
      reversal_condition: { event: 'ticket_reopened' },
      restart_on: { event: 'customer_message' },
      max_duration: 604_800,
    },
  ],
}

const CLOCK_TERMS = {
  $id: 'ClockTerms',
  type: 'object',
  description:
    'The time that counts for the windows (§2.1a): the working time of a calendar, and only while the clock runs. Requires a calendar, or both pause_on and resume_on.',
  additionalProperties: false,
  anyOf: [{ required: ['calendar'] }, { required: ['pause_on'] }],
  dependentRequired: { pause_on: ['resume_on'], resume_on: ['pause_on'], applies_to: ['calendar'] },
  properties: {
    calendar: {
      type: 'object',
      required: ['id'],
      additionalProperties: false,
      description: `Only the working time of this calendar counts. A window with a calendar has at most ${MAX_WORKING_SECONDS} seconds.`,
      properties: {
        id: { type: 'string', format: 'uuid' },
        version: {
          type: 'integer',
          minimum: 1,
          maximum: Number.MAX_SAFE_INTEGER,
          description:
            'Default: the current version when the claim is created. The claim’s contract then contains it.',
        },
      },
    },
    applies_to: {
      type: 'array',
      minItems: 1,
      uniqueItems: true,
      items: { enum: WINDOWS },
      default: DEFAULT_WINDOWS,
      description: 'The windows that the calendar applies to.',
    },
    pause_on: {
      ...EVENT_TRIGGER,
      description: 'An event in time that satisfies it stops the activity window of an OPEN claim.',
    },
    resume_on: { ...EVENT_TRIGGER, description: 'An event that satisfies it continues a stopped window.' },
  },
  examples: [{ pause_on: { event: 'waiting_for_customer' }, resume_on: { event: 'customer_message' } }],
}

const CONDITION_ALL_OR_ANY = {
  $id: 'ConditionAllOrAny',
  title: 'AND, OR',
  type: 'object',
  description: 'AND without conditions is true, OR without conditions is false.',
  required: ['op', 'conditions'],
  additionalProperties: false,
  properties: {
    op: { enum: ['AND', 'OR'] },
    conditions: { type: 'array', items: CONDITION },
  },
}

const CONDITION_NOT = {
  $id: 'ConditionNot',
  title: 'NOT',
  type: 'object',
  description:
    'Satisfied while its condition is not satisfied. Evaluated only while the claim is OPEN. For events during the review use review.reversal_condition.',
  required: ['op', 'condition'],
  additionalProperties: false,
  properties: { op: { const: 'NOT' }, condition: CONDITION },
}

const FULFILLMENT_CONDITION = {
  $id: 'FulfillmentCondition',
  description: `A tree over the claim’s events (§2.2): at most ${MAX_CONDITION_DEPTH} levels and ${MAX_CONDITION_NODES} nodes. The log is a set: order and, without an aggregate, repetition change nothing.`,
  oneOf: [{ $ref: 'ConditionLeaf#' }, { $ref: 'ConditionAllOrAny#' }, { $ref: 'ConditionNot#' }],
}

export const EXAMPLE_CONTRACT: Contract = {
  price: 49.5,
  activity_window: 86_400,
  review_window: 3_600,
  fulfillment_condition: {
    op: 'AND',
    conditions: [{ event: 'ticket_resolved' }, { event: 'satisfaction', gte: 4 }],
  },
  timeout_outcome: 'fail',
}

const CONTRACT = {
  $id: 'Contract',
  type: 'object',
  description: `The terms of a claim (§2.1), immutable after its creation. Stored and returned unchanged, except -0 and the order of keys that are whole numbers (§2.1). At most ${MAX_CONTRACT_BYTES} bytes as JSON.`,
  required: ['price', 'activity_window', 'review_window', 'fulfillment_condition', 'timeout_outcome'],
  additionalProperties: false,
  properties: {
    price: {
      type: 'number',
      minimum: 0,
      maximum: MAX_PRICE,
      description: 'Major units of the account’s currency: 100.00 is a hundred.',
    },
    activity_window: {
      type: 'number',
      exclusiveMinimum: 0,
      maximum: MAX_WINDOW_SECONDS,
      description:
        'Seconds that the claim may stay OPEN after its creation. No event restarts them. Fractions are allowed.',
    },
    review_window: {
      type: 'number',
      minimum: 0,
      maximum: MAX_WINDOW_SECONDS,
      description:
        'Seconds that the claim stays PENDING. Events are accepted only with `review`. Fractions are allowed.',
    },
    fulfillment_condition: CONDITION,
    timeout_outcome: {
      enum: ['confirm', 'fail'],
      description:
        'The scheduled outcome if the activity window elapses first: CONFIRMED or FAILED. With "confirm" every claim is confirmed in the end, unless `review` reverses it.',
    },
    review: { $ref: 'ReviewTerms#' },
    clock: { $ref: 'ClockTerms#' },
    strict_deadline: {
      type: 'boolean',
      description:
        'If true, an event that is recorded after the end of the window, but before the check, is stored and decides nothing (§2.1a).',
    },
  },
  examples: [EXAMPLE_CONTRACT],
}

/** The components that make up a published contract. */
export const CONTRACT_COMPONENTS = [
  CONTRACT,
  FULFILLMENT_CONDITION,
  CONDITION_LEAF,
  CONDITION_ALL_OR_ANY,
  CONDITION_NOT,
  EVENT_LEAF,
  ANY_EVENT_LEAF,
  REVIEW_TERMS,
  CLOCK_TERMS,
]

export const ContractRef = Type.Unsafe<Contract>({ $ref: 'Contract#' })

/** The cause of a change: the event that decided it, or the window that elapsed. */
export const BECAUSE = Type.Unsafe({
  title: 'Because',
  type: 'object',
  description: 'The submitted event that settled the claim, or the window that elapsed.',
  properties: {
    event_id: Type.String({ description: 'For a window: its system event in the log.' }),
    window_elapsed: Type.Enum(['activity_window', 'review_window']),
  },
  additionalProperties: false,
})

const NODE = { $ref: 'ExplainedCondition#' }
const SATISFIED = { type: 'boolean', description: 'Whether the node holds over the log.' }

/** The condition's own nodes, each with `satisfied`, and each leaf with the events that satisfy it. */
export const EXPLAINED_CONDITION = {
  $id: 'ExplainedCondition',
  description:
    'A node of the condition with its value over the log: over the events until the claim left OPEN; for a reversal condition, over the events of the review.',
  type: 'object',
  required: ['satisfied'],
  properties: {
    satisfied: SATISFIED,
    satisfied_by: {
      type: 'array',
      items: { type: 'string' },
      maxItems: MAX_EXPLAINED_EVENTS,
      description: `For a leaf: the ids of up to ${MAX_EXPLAINED_EVENTS} events that satisfy it or count for its aggregate.`,
    },
    value: {
      type: 'string',
      description: 'For a leaf with an aggregate: its value, an exact decimal.',
    },
    left_out: {
      type: 'integer',
      description:
        'For a leaf with an aggregate: the number of matching events without such a value at the field.',
    },
    op: { enum: ['AND', 'OR', 'NOT'] },
    conditions: { type: 'array', items: NODE },
    condition: NODE,
  },
  additionalProperties: true,
}

const TRANSITION = Type.Object(
  {
    from: Status,
    to: Status,
    at: DateTime('When it was made.'),
    because: BECAUSE,
  },
  { title: 'Transition' },
)

const EXPLAINED_REVIEW = Type.Object(
  {
    reversal_condition: Type.Optional(Type.Unsafe(NODE)),
    reversed_by: Type.Union(
      [Type.Object({ event_id: Type.String(), at: DateTime('Time of recording.') }), Type.Null()],
      { description: 'The event that made the scheduled outcome FAILED; null if none did.' },
    ),
    restarts: Type.Array(
      Type.Object({
        event_id: Type.String(),
        at: DateTime('Time of recording.'),
        due_at: DateTime('The end of the review that it set.'),
      }),
      { maxItems: MAX_EXPLAINED_EVENTS, description: 'The first events that restarted the review.' },
    ),
    restart_count: Type.Integer({ minimum: 0, description: 'Number of events that restarted the review.' }),
    due_at: DateTime('The end of the review.'),
    latest_due_at: DateTimeOrNull('The latest possible end of the review; null without restart_on.'),
  },
  { title: 'ExplainedReview' },
)

const NullableString = (description: string) => Type.Union([Type.String(), Type.Null()], { description })
const NullableSeconds = (description: string) =>
  Type.Union([Type.Number({ minimum: 0 }), Type.Null()], { description })

const Dates = (description: string) =>
  Type.Array(Type.String({ examples: ['2026-12-25'] }), { maxItems: MAX_EXPLAINED_DATES, description })

const EXPLAINED_CLOCK = Type.Object(
  {
    calendar: Type.Union([Type.Object({ id: Type.String(), version: Type.Integer() }), Type.Null()], {
      description: 'The calendar of the contract; null if it has none.',
    }),
    time_zone: NullableString('Time zone of the calendar; null without a calendar.'),
    time_zone_data: NullableString(
      'The version of the IANA time zone database by which the periods are counted now; null without a calendar.',
    ),
    periods: Type.Array(
      Type.Object({
        from: DateTime('When the clock began to run.'),
        resumed_by: NullableString('The event that continued it; null for the creation of the claim.'),
        to: DateTimeOrNull('When the clock stopped or the claim left OPEN; null while the clock runs.'),
        paused_by: NullableString('The event that stopped it; null if no event did.'),
        counted: NullableSeconds('Seconds of the activity window that were used up; null while it runs.'),
      }),
      { maxItems: MAX_EXPLAINED_PERIODS, description: 'The first periods in which the clock ran.' },
    ),
    period_count: Type.Integer({ minimum: 1, description: 'How many periods there are.' }),
    working_time: Type.Array(
      Type.Object({
        window: Type.Enum(['activity_window', 'review_window']),
        from: DateTime('When the window began.'),
        to: DateTime('When it is due, or the event that ended or stopped it before.'),
        span_count: Type.Integer({
          minimum: 0,
          description: 'Spans of working time of which some was counted while the window ran.',
        }),
        holidays: Dates('The first dates while it ran that have no working time because they are holidays.'),
        holiday_count: Type.Integer({ minimum: 0, description: 'How many there are.' }),
        exceptions: Dates('The first dates while it ran whose spans are exceptions.'),
        exception_count: Type.Integer({ minimum: 0, description: 'How many there are.' }),
      }),
      { maxItems: 2, description: 'Each window to which the calendar applies, once it has begun.' },
    ),
    paused_since: DateTimeOrNull('Since when the clock is stopped; null if it is not.'),
    remaining: NullableSeconds('Seconds of the activity window that are left while the clock is stopped.'),
  },
  { title: 'ExplainedClock' },
)

const LATE_EVENT = Type.Object(
  {
    event_id: Type.String(),
    late_by: Type.Number({ minimum: 0, description: 'Seconds from the end of the window to the event.' }),
  },
  { title: 'LateEvent' },
)

/** §2.13 */
export const HintBody = Type.Object(
  {
    code: Type.Enum([...new Set([...HINT_CODES, ...LOG_HINT_CODES])], {
      description: 'Kind of the hint (§2.13).',
    }),
    path: Type.String({
      description: 'Path in the contract, in the form of error paths.',
      examples: ['fulfillment_condition.conditions[1]'],
    }),
    message: Type.String({ description: 'For people; the wording may change.' }),
    event_ids: Type.Optional(
      Type.Array(Type.String(), {
        maxItems: MAX_HINT_EVENTS,
        description: 'Only in hints about events: the ids of the first events.',
      }),
    ),
  },
  {
    $id: 'Hint',
    description:
      'Something that the author of the contract or the sender of the events may not have meant. It is not an error: both are valid.',
  },
)
const HintRef = Type.Unsafe<object>({ $ref: 'Hint#' })

export const Hints = (maxItems: number, description: string) => Type.Array(HintRef, { maxItems, description })

export const ExplanationBody = Type.Object(
  {
    status: Status,
    scheduled_outcome: ScheduledOutcome,
    condition: Type.Unsafe(NODE),
    transitions: Type.Array(TRANSITION, { description: 'In order.' }),
    review: Type.Optional(
      Type.Unsafe<object>({
        ...EXPLAINED_REVIEW,
        description: 'For a contract with `review`, after the claim has left OPEN (§2.1a).',
      }),
    ),
    clock: Type.Optional(
      Type.Unsafe<object>({
        ...EXPLAINED_CLOCK,
        description: 'For a contract with `clock`: the use of the activity window (§2.1a).',
      }),
    ),
    late_events: Type.Optional(
      Type.Array(LATE_EVENT, {
        maxItems: MAX_EXPLAINED_EVENTS,
        description:
          'The first events that were recorded after the end of their window. Present only if there are any.',
      }),
    ),
    late_event_count: Type.Optional(Type.Integer({ minimum: 1, description: 'Their number.' })),
    hints: Hints(MAX_LOG_HINTS, 'Hints about the events of the log (§2.13).'),
  },
  { $id: 'Explanation', description: 'The reasons for the status of a claim or candidate.' },
)
