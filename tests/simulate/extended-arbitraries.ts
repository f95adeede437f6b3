import fc from 'fast-check'
import { type Condition, isSatisfied, type Leaf } from '../../simulate/model/condition.ts'
import type { Clock, Contract, Review } from '../../simulate/model/contract.ts'
import type { JsonObject } from '../../simulate/model/json.ts'
import { type WorkingHours, weekOf } from '../../simulate/model/working-time.ts'
import * as arbitrary from '../support/arbitraries.ts'

/* Extended contracts (§2.1a) and histories that meet them often: in their windows, just beside them, and late. */

/** Most have no exact binary fraction. */
const tenths = fc.integer({ min: -3, max: 12 }).map((n) => n / 10)

const aggregatedLeaf: fc.Arbitrary<Leaf> = fc
  .record(
    {
      event: fc.constantFrom('a', 'b', 'c'),
      aggregate: fc.constantFrom('count' as const, 'sum' as const, 'distinct' as const),
      match: fc.constantFrom<NonNullable<Leaf['match']>>(1, true, 'x', { o: { k: 1 } }, {}),
      field: fc.constantFrom('value', 'n', 'tenths'),
      comparators: fc.oneof(
        fc.record({ gte: fc.integer({ min: 1, max: 4 }) }, { noNullPrototype: true }),
        fc
          .record(
            { gt: tenths, gte: tenths, lt: tenths, lte: tenths, eq: tenths },
            { requiredKeys: [], noNullPrototype: true },
          )
          .filter((comparators) => Object.keys(comparators).length > 0),
      ),
    },
    { requiredKeys: ['event', 'aggregate', 'comparators'], noNullPrototype: true },
  )
  .map(({ field, comparators, ...rest }) => ({
    ...rest,
    ...comparators,
    ...(rest.aggregate !== 'count' && field !== undefined ? { field } : {}),
  }))

const plainCondition = arbitrary.condition as fc.Arbitrary<Condition>
const plainLeaf = arbitrary.leaf as fc.Arbitrary<Leaf>

const condition: fc.Arbitrary<Condition> = fc.letrec<{ node: Condition }>((tie) => ({
  node: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    aggregatedLeaf,
    plainCondition,
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

/** Most random leaves compare so much that few events meet them. */
const easyLeaf: fc.Arbitrary<Leaf> = fc.record(
  { event: fc.constantFrom('a', 'b', 'c'), gte: fc.integer({ min: -2, max: 2 }) },
  { requiredKeys: ['event'], noNullPrototype: true },
)

const easyCount: fc.Arbitrary<Leaf> = fc.record(
  {
    event: fc.constantFrom('a', 'b', 'c'),
    aggregate: fc.constant('count' as const),
    gte: fc.integer({ min: 1, max: 3 }),
  },
  { noNullPrototype: true },
)

/** Sums that binary fractions miss (0.1 + 0.2, 0.1 + 0.7), and values that come again. */
const easySum: fc.Arbitrary<Leaf> = fc
  .tuple(
    fc.constantFrom('a', 'b', 'c'),
    fc.constantFrom('gt' as const, 'gte' as const, 'eq' as const),
    fc.constantFrom(0.3, 0.8),
  )
  .map(([event, comparator, bound]) => ({ event, field: 'tenths', aggregate: 'sum', [comparator]: bound }))

const easyDistinct: fc.Arbitrary<Leaf> = fc
  .tuple(
    fc.constantFrom('a', 'b', 'c'),
    fc.constantFrom('value', 'n', 'tenths'),
    fc.integer({ min: 2, max: 3 }),
  )
  .map(([event, field, gte]) => ({ event, field, aggregate: 'distinct', gte }))

/** One that holds over no event is refused. */
const reversalCondition: fc.Arbitrary<Condition> = fc
  .oneof(easyLeaf, easyCount, easySum, easyDistinct, aggregatedLeaf, condition)
  .map((drawn) => (isSatisfied(drawn, []) ? { op: 'NOT', condition: drawn } : drawn))

const trigger: fc.Arbitrary<Condition> = fc.oneof(
  easyLeaf,
  fc.record(
    {
      op: fc.constant('OR' as const),
      conditions: fc.array(fc.oneof(easyLeaf, plainLeaf), { minLength: 1, maxLength: 3 }),
    },
    { noNullPrototype: true },
  ),
)

/** What may be added to the review window. */
const more = fc.constantFrom(0, 0.001, 30, 60, 600)

const reviewOf = (reviewWindow: number): fc.Arbitrary<Review> =>
  fc
    .tuple(fc.constantFrom('reversal', 'restart', 'both'), reversalCondition, trigger, more)
    .map(([kind, reversal_condition, restart_on, seconds]) => ({
      ...(kind === 'restart' ? {} : { reversal_condition }),
      ...(kind === 'reversal' ? {} : { restart_on, max_duration: reviewWindow + seconds }),
    }))

/** The hours of the calendar are separate. */
const CALENDAR = { id: '0199f3a4-6f0e-7c3a-9d1e-2b7c5a1f0a42', version: 1 }

const clock: fc.Arbitrary<Clock> = fc
  .tuple(
    fc.constantFrom('calendar', 'pauses', 'pauses', 'both'),
    fc.constantFrom<NonNullable<Clock['applies_to']> | null>(
      null,
      ['activity'],
      ['review'],
      ['activity', 'review'],
    ),
    trigger,
    trigger,
  )
  .map(([kind, applies_to, pause_on, resume_on]) => ({
    ...(kind === 'pauses' ? {} : { calendar: CALENDAR, ...(applies_to ? { applies_to } : {}) }),
    ...(kind === 'calendar' ? {} : { pause_on, resume_on }),
  }))

/** Short spans, so that windows of minutes go on over many. */
const BROKEN = ['00', '03', '14', '22', '31', '47'].flatMap((minute, i, all) =>
  ['00', '01', '02', '10', '23'].map(
    (hour) => [`${hour}:${minute}`, `${hour}:${all[i + 1] ?? '58'}`.replace(/\d$/, '1')] as const,
  ),
)

/** At each of these a history begins; the first is midnight on Kiritimati, the others are changes of clocks in Berlin. */
export const openedAt = fc.constantFrom(
  ...['2026-01-01T10:00:20.000Z', '2026-03-29T00:57:20.000Z', '2026-10-25T00:57:20.000Z'].map(Date.parse),
)

export const hours: fc.Arbitrary<WorkingHours> = fc.record(
  {
    time_zone: fc.constantFrom('UTC', 'Europe/Berlin', 'Pacific/Kiritimati', 'Australia/Lord_Howe'),
    weekly: fc.constantFrom(
      weekOf(BROKEN),
      weekOf(BROKEN),
      weekOf([['00:00', '24:00']]),
      weekOf([['01:59', '10:02']]),
    ),
    holidays: fc.subarray(['2026-01-01', '2026-01-02', '2026-03-29', '2026-10-25']),
    exceptions: fc.constantFrom<WorkingHours['exceptions']>(
      {},
      { '2026-01-02': [], '2026-03-29': [['01:30', '03:05']] },
      {
        '2026-01-01': [['10:03', '24:00']],
        '2026-10-25': [
          ['02:30', '02:35'],
          ['02:33', '02:59'],
        ],
      },
    ),
  },
  { noNullPrototype: true },
)

/** Of any kind: mostly with a review, which is reached by an event or by a timeout. */
export const contract: fc.Arbitrary<Contract> = fc
  .record({
    activity_window: fc.constantFrom(0.001, 30, 60, 61.25, 90, 600),
    review_window: fc.constantFrom(0, 0.001, 30, 60, 119.5, 600, 600, 3_600),
    condition: fc.oneof(condition, plainCondition, easyLeaf, easyLeaf, easyCount, easySum, easyDistinct),
    timeout_outcome: fc.constantFrom('confirm' as const, 'confirm' as const, 'fail' as const),
    isReviewed: fc.constantFrom(true, true, true, false),
    strict: fc.constantFrom(undefined, undefined, true, false),
    clock: fc.option(clock, { nil: undefined }),
  })
  .chain(({ activity_window, review_window, condition, timeout_outcome, isReviewed, strict, clock }) =>
    (isReviewed ? reviewOf(review_window) : fc.constant(undefined)).map((review) => ({
      price: 1,
      activity_window,
      review_window,
      fulfillment_condition: condition,
      timeout_outcome,
      ...(review === undefined ? {} : { review }),
      ...(strict === undefined ? {} : { strict_deadline: strict }),
      ...(clock === undefined ? {} : { clock }),
    })),
  )

export interface Step {
  /** After the step before it. */
  afterMs: number
  /** Instead after the end of the window of that moment, if that is later than the step before; null: not. */
  lateMs: number | null
  /** Null: the caller gives none. Others are few, so that events repeat and contradict each other. */
  id: string | null
  type: string
  payload: JsonObject
}

const step: fc.Arbitrary<Step> = fc
  .tuple(
    fc.constantFrom(0, 0, 0, 1, 1, 500, 10_000, 10_000, 29_999, 30_000, 30_001, 60_000, 61_000, 600_000),
    fc.constantFrom(null, null, null, null, null, -1, 0, 1, 500),
    fc.oneof(
      { weight: 1, arbitrary: fc.constant(null) },
      { weight: 8, arbitrary: fc.nat({ max: 40 }).map((n) => `e${n}`) },
    ),
    arbitrary.submission as fc.Arbitrary<JsonObject>,
    fc.oneof(fc.constantFrom(0.1, 0.2, 0.7), fc.constantFrom(0.1, 0.2, 0.7), fc.option(tenths)),
  )
  .map(([afterMs, lateMs, id, { type, ...payload }, number]) => ({
    afterMs,
    lateMs,
    id,
    type: type as string,
    payload: number === null ? payload : { ...payload, tenths: number },
  }))

export const history: fc.Arbitrary<Step[]> = fc.array(step, { maxLength: 20, size: 'large' })
