import fc from 'fast-check'
import type { LogEvent } from './source/claims.ts'
import { type Condition, type Contract, holdsOnEmptyLog, type Leaf } from './source/contracts.ts'
import type { Json, JsonObject } from './source/json.ts'

/* Few names and numbers, so that conditions and events meet often. */

const eventType = fc.constantFrom('a', 'b', 'c')
const smallNumber = fc.integer({ min: -2, max: 4 })
const scalar = fc.oneof(smallNumber, fc.boolean(), fc.constantFrom('x', 'y'))
const nested = fc.dictionary(fc.constantFrom('k', 'l'), scalar, { noNullPrototype: true, maxKeys: 2 })

/** Objects with many keys, mostly the same. */
export const largeObject: fc.Arbitrary<JsonObject> = fc
  .record({ changed: fc.integer({ min: -60, max: 39 }), to: scalar, o: fc.option(nested) })
  .map(({ changed, to, o }) => ({
    ...Object.fromEntries(Array.from({ length: 40 }, (_, i) => [`key ${i}`, i === changed ? to : i % 3])),
    ...(o === null ? {} : { nested: o }),
  }))

const list = fc.array(fc.oneof(smallNumber, nested), { maxLength: 2 })

const payload: fc.Arbitrary<JsonObject> = fc.record(
  {
    value: fc.oneof(scalar, list) as fc.Arbitrary<Json>,
    n: smallNumber,
    o: fc.oneof(nested, largeObject, list, fc.constant(null)) as fc.Arbitrary<Json>,
  },
  { requiredKeys: [], noNullPrototype: true },
)

export const leaf: fc.Arbitrary<Leaf> = fc
  .record(
    {
      event: eventType,
      match: fc.oneof(
        scalar,
        nested,
        fc.record({ o: fc.oneof(nested, largeObject, list, fc.constant(null)) }, { noNullPrototype: true }),
        fc.record({ value: list }, { noNullPrototype: true }),
      ) as fc.Arbitrary<NonNullable<Leaf['match']>>,
      field: fc.constantFrom('value', 'n', 'o.k'),
      gt: smallNumber,
      gte: smallNumber,
      lt: smallNumber,
      lte: smallNumber,
      eq: smallNumber,
    },
    { requiredKeys: ['event'], noNullPrototype: true },
  )
  .map(({ field, ...rest }) => {
    const compares = ['gt', 'gte', 'lt', 'lte', 'eq'].some((name) => name in rest)
    return compares && field !== undefined ? { ...rest, field } : rest
  })

const conditionOf = (leaves: fc.Arbitrary<Leaf>): fc.Arbitrary<Condition> =>
  fc.letrec<{ node: Condition }>((tie) => ({
    node: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      leaves,
      fc.record(
        {
          op: fc.constantFrom('AND' as const, 'OR' as const),
          conditions: fc.array(tie('node'), { maxLength: 3 }),
        },
        { noNullPrototype: true },
      ),
      fc.record({ op: fc.constant('NOT' as const), condition: tie('node') }, { noNullPrototype: true }),
    ),
  })).node

/** Valid conditions of every kind of node, without aggregates. */
export const condition: fc.Arbitrary<Condition> = conditionOf(leaf)

const comparator = fc.constantFrom('gt', 'gte', 'lt', 'lte', 'eq')
const bounds: fc.Arbitrary<Partial<Leaf>> = fc
  .array(fc.tuple(comparator, smallNumber), { minLength: 1, maxLength: 2 })
  .map((some) => Object.fromEntries(some))

/** §2.1a */
export const aggregateLeaf: fc.Arbitrary<Leaf> = fc
  .record(
    {
      event: eventType,
      match: fc.oneof(scalar, nested) as fc.Arbitrary<NonNullable<Leaf['match']>>,
      field: fc.constantFrom('value', 'n', 'o.k'),
      aggregate: fc.constantFrom('count' as const, 'sum' as const, 'distinct' as const),
      bounds,
    },
    { requiredKeys: ['event', 'aggregate', 'bounds'], noNullPrototype: true },
  )
  .map(({ field, bounds, ...rest }) => ({
    ...rest,
    ...(rest.aggregate === 'count' || field === undefined ? {} : { field }),
    ...bounds,
  }))

/** Valid conditions of every kind of node. */
export const extendedCondition: fc.Arbitrary<Condition> = conditionOf(fc.oneof(leaf, aggregateLeaf))

/** The fields of a submission, without an id. */
export const submission: fc.Arbitrary<JsonObject> = fc
  .tuple(eventType, payload)
  .map(([type, fields]) => ({ ...fields, type }))

/** A log of user events; ids and times follow the order. */
export const log: fc.Arbitrary<LogEvent[]> = fc
  .array(fc.record({ type: eventType, payload }), { maxLength: 8 })
  .map((events) =>
    events.map((event, i) => ({
      ...event,
      id: `e${i}`,
      system: false,
      createdAt: new Date(1_700_000_000_000 + i),
    })),
  )

export const contract: fc.Arbitrary<Contract> = fc.record(
  {
    price: fc.double({ min: 0, max: 1e12, noNaN: true }),
    activity_window: fc.double({ min: 0.001, max: 3_155_760_000, noNaN: true }),
    review_window: fc.double({ min: 0, max: 3_155_760_000, noNaN: true }),
    fulfillment_condition: condition,
    timeout_outcome: fc.constantFrom('confirm' as const, 'fail' as const),
  },
  { noNullPrototype: true },
)

const eventTrigger = fc.oneof(
  leaf,
  fc.record(
    { op: fc.constant('OR' as const), conditions: fc.array(leaf, { minLength: 1, maxLength: 3 }) },
    { noNullPrototype: true },
  ),
)

/** Contracts with any of the optional members (§2.1a). */
export const extendedContract: fc.Arbitrary<Contract> = fc
  .record(
    {
      terms: contract,
      fulfillment_condition: extendedCondition,
      reversal_condition: extendedCondition.filter((one) => !holdsOnEmptyLog(one)),
      restart_on: eventTrigger,
      longer: fc.constantFrom(0, 0.5, 3_600),
      strict_deadline: fc.boolean(),
      clock: fc.record({ pause_on: eventTrigger, resume_on: eventTrigger }, { noNullPrototype: true }),
    },
    { requiredKeys: ['terms', 'fulfillment_condition', 'longer'], noNullPrototype: true },
  )
  .map(({ terms, longer, reversal_condition, restart_on, ...rest }) => {
    const max_duration = Math.min(terms.review_window + longer, 3_155_760_000)
    const review = {
      ...(reversal_condition === undefined ? {} : { reversal_condition }),
      ...(restart_on === undefined ? {} : { restart_on, max_duration }),
    }
    return { ...terms, ...rest, ...(Object.keys(review).length === 0 ? {} : { review }) }
  })

/** Leaves that about a third of the events satisfy, alone or with earlier events. */
const likelyLeaf: fc.Arbitrary<Leaf> = fc
  .tuple(
    eventType,
    fc.constantFrom<Omit<Leaf, 'event'>>(
      {},
      { field: 'n', gte: 1 },
      { aggregate: 'count', gte: 2 },
      { aggregate: 'count', eq: 1 },
      { aggregate: 'sum', field: 'n', gt: 2 },
      { aggregate: 'distinct', field: 'n', gte: 2 },
    ),
  )
  .map(([event, rest]) => ({ event, ...rest }))

const likelyCondition: fc.Arbitrary<Condition> = fc.oneof(
  { weight: 3, arbitrary: likelyLeaf },
  {
    weight: 1,
    arbitrary: fc.record(
      {
        op: fc.constantFrom('AND' as const, 'OR' as const),
        conditions: fc.array(likelyLeaf, { minLength: 1, maxLength: 2 }),
      },
      { noNullPrototype: true },
    ),
  },
  {
    weight: 1,
    arbitrary: fc.tuple(likelyLeaf, likelyLeaf).map(([one, other]) => ({
      op: 'AND' as const,
      conditions: [one, { op: 'NOT' as const, condition: other }],
    })),
  },
)

/** Contracts with a review that is often reversed or restarted within a few events, and a clock that events stop. */
export const livelyContract: fc.Arbitrary<Contract> = fc
  .record({
    terms: contract,
    fulfillment_condition: likelyCondition,
    reversal_condition: fc.option(likelyCondition, { nil: undefined }),
    restart_on: fc.record({ event: eventType }, { noNullPrototype: true }),
    strict_deadline: fc.boolean(),
    timeout_outcome: fc.constantFrom('confirm' as const, 'fail' as const),
    clock: fc.option(
      fc.record(
        {
          pause_on: fc.record({ event: eventType }, { noNullPrototype: true }),
          resume_on: fc.record({ event: eventType }, { noNullPrototype: true }),
        },
        { noNullPrototype: true },
      ),
    ),
  })
  .map(({ terms, reversal_condition, restart_on, clock, ...rest }) => ({
    ...terms,
    ...rest,
    ...(clock === null ? {} : { clock }),
    review: {
      ...(reversal_condition === undefined ? {} : { reversal_condition }),
      restart_on,
      max_duration: 3_155_760_000,
    },
  }))
