import { Type } from 'typebox'
import { COMPARATORS } from '../core/contracts/comparators.ts'
import type { Contract } from '../core/contracts/contract.ts'
import {
  MAX_CONDITION_DEPTH,
  MAX_CONDITION_NAME_LENGTH,
  MAX_CONDITION_NODES,
} from '../core/contracts/validate-condition.ts'
import { MAX_CONTRACT_BYTES, MAX_PRICE, MAX_WINDOW_SECONDS } from '../core/contracts/validate-contract.ts'

/*
 * What is published of a contract. The domain validates (it names the exact node, and works without HTTP);
 * a property test holds this schema to the same verdicts. Sizes (nodes, depth, bytes) are said in words.
 */

const NAME = { type: 'string', minLength: 1, maxLength: MAX_CONDITION_NAME_LENGTH }
const CONDITION = { $ref: 'FulfillmentCondition#' }

const CONDITION_LEAF = {
  $id: 'ConditionLeaf',
  title: 'Leaf',
  type: 'object',
  description: 'Satisfied when at least one event of the log satisfies all of it at once.',
  required: ['event'],
  additionalProperties: false,
  properties: {
    event: { ...NAME, description: 'The event type, compared exactly.' },
    match: {
      type: ['object', 'string', 'number', 'boolean'],
      description:
        'An object: every key must be in the event’s payload with an equal value (objects key by key, arrays and scalars whole). A scalar: equals the event’s `value`.',
    },
    field: {
      ...NAME,
      default: 'value',
      description: 'Where the compared number is: keys into the payload, joined by dots. Needs a comparator.',
    },
    ...Object.fromEntries(COMPARATORS.map((name) => [name, { type: 'number' }])),
  },
  dependentSchemas: { field: { anyOf: COMPARATORS.map((name) => ({ required: [name] })) } },
  examples: [{ event: 'delivery', field: 'delay_minutes', lte: 30 }],
}

const CONDITION_ALL_OR_ANY = {
  $id: 'ConditionAllOrAny',
  title: 'AND, OR',
  type: 'object',
  description: 'AND of nothing is true, OR of nothing is false.',
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
    'Satisfied while its condition is not. It counts as long as the claim is OPEN: an event during the review is refused.',
  required: ['op', 'condition'],
  additionalProperties: false,
  properties: { op: { const: 'NOT' }, condition: CONDITION },
}

const FULFILLMENT_CONDITION = {
  $id: 'FulfillmentCondition',
  description: `A tree over the claim’s events (§2.2): at most ${MAX_CONDITION_DEPTH} levels and ${MAX_CONDITION_NODES} nodes. The log is a set: order and repetition change nothing.`,
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
  description: `The terms of a claim (§2.1), immutable once it is created; stored and returned as sent, but for -0 and the place of keys that are whole numbers (§2.1). At most ${MAX_CONTRACT_BYTES} bytes as JSON.`,
  required: ['price', 'activity_window', 'review_window', 'fulfillment_condition', 'timeout_outcome'],
  additionalProperties: false,
  properties: {
    price: {
      type: 'number',
      minimum: 0,
      maximum: MAX_PRICE,
      description: 'In major units of the account’s currency: 100.00 is a hundred.',
    },
    activity_window: {
      type: 'number',
      exclusiveMinimum: 0,
      maximum: MAX_WINDOW_SECONDS,
      description:
        'Seconds that the claim may stay OPEN, from its creation on: no event begins them anew. Fractions are allowed.',
    },
    review_window: {
      type: 'number',
      minimum: 0,
      maximum: MAX_WINDOW_SECONDS,
      description:
        'Seconds that the claim stays PENDING, in which it takes no events; fractions are allowed.',
    },
    fulfillment_condition: CONDITION,
    timeout_outcome: {
      enum: ['confirm', 'fail'],
      description:
        'What is scheduled when the activity window elapses first: CONFIRMED or FAILED. With "confirm" every claim is confirmed, sooner or later.',
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
]

export const ContractRef = Type.Unsafe<Contract>({ $ref: 'Contract#' })
