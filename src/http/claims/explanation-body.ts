import { Type } from 'typebox'
import { DateTime, ScheduledOutcome, Status } from '../protocol/scalars.ts'

/** Why something moved: the event that settled it, or the window that elapsed. */
export const BECAUSE = Type.Unsafe({
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

const TRANSITION = Type.Object({
  from: Status,
  to: Status,
  at: DateTime('When it was made.'),
  because: BECAUSE,
})

export const ExplanationBody = Type.Object(
  {
    status: Status,
    scheduled_outcome: ScheduledOutcome,
    condition: Type.Unsafe(NODE),
    transitions: Type.Array(TRANSITION, { description: 'So far, in their order.' }),
  },
  { $id: 'Explanation', description: 'Why a claim or candidate stands as it does.' },
)
