import { Type } from 'typebox'
import { HINT_CODES } from '../core/contracts/hints/hints.ts'
import { LOG_HINT_CODES, MAX_LOG_HINTS } from '../core/contracts/hints/log-hints.ts'
import { DateTime, ScheduledOutcome, Status } from '../platform/http/responses/scalars.ts'

/** Why something moved: the event that settled it, or the window that elapsed. */
export const BECAUSE = Type.Unsafe({
  title: 'Because',
  type: 'object',
  description: 'The submitted event that settled the claim, or the window that elapsed.',
  properties: {
    event_id: Type.String({ description: 'For a window: the system event that it left in the log.' }),
    window_elapsed: Type.Enum(['activity_window', 'review_window']),
  },
  additionalProperties: false,
})

const NODE = { $ref: 'ExplainedCondition#' }
const SATISFIED = { type: 'boolean', description: 'Whether the node holds over the log.' }

/** The condition's own nodes, each with `satisfied`, and each leaf with the events that satisfy it. */
export const EXPLAINED_CONDITION = {
  $id: 'ExplainedCondition',
  description: 'A node of the condition as it was sent, with its truth over the log.',
  type: 'object',
  required: ['satisfied'],
  properties: {
    satisfied: SATISFIED,
    satisfied_by: {
      type: 'array',
      items: { type: 'string' },
      maxItems: 10,
      description: 'Of a leaf: the ids of up to 10 events that satisfy it.',
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

/** §2.13 */
export const HintBody = Type.Object(
  {
    code: Type.Enum([...new Set([...HINT_CODES, ...LOG_HINT_CODES])], {
      description: 'What it is about (§2.13).',
    }),
    path: Type.String({
      description: 'Where in the contract, written as the paths of errors are.',
      examples: ['fulfillment_condition.conditions[1]'],
    }),
    message: Type.String({ description: 'For people; the wording may change.' }),
    event_ids: Type.Optional(
      Type.Array(Type.String(), {
        maxItems: 10,
        description: 'Only in hints to events: the ids of the first events.',
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
    transitions: Type.Array(TRANSITION, { description: 'So far, in their order.' }),
    hints: Hints(MAX_LOG_HINTS, 'To the events of the log (§2.13).'),
  },
  { $id: 'Explanation', description: 'Why a claim or candidate stands as it does.' },
)
