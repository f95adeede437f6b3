import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import * as arbitrary from '../support/arbitraries.ts'
import { all, any, not } from '../support/contracts.ts'
import { eventOf, eventsAround, hintsTo, logsOf, NEVER, pathsOf, withInPlace } from '../support/hinted.ts'
import { EventLog, type LogEvent } from '../support/source/claims.ts'
import { type Condition, type Leaf, leavesOf, suggestedEvents } from '../support/source/contracts.ts'
import type { Json } from '../support/source/json.ts'

/* What hints say of a condition is held to its evaluation over all logs that can be made of many events. */

const ROOT = 'fulfillment_condition'
const [a, b, c] = [{ event: 'a' }, { event: 'b' }, { event: 'c' }]
const holds = (condition: Condition, log: readonly LogEvent[]) =>
  EventLog.of(condition, log).satisfiesCondition

/** Small enough to try all logs. */
const MAX_LEAVES = 7
const condition = arbitrary.condition.filter((one) => leavesOf(one).length <= MAX_LEAVES)
/** Leaves of which many imply or exclude each other, and little besides. */
const near: fc.Arbitrary<Leaf> = fc.constantFrom<Leaf>(
  { event: 'a' },
  { event: 'a', gte: 1 },
  { event: 'a', gt: 1, lte: 3 },
  { event: 'a', lt: 3 },
  { event: 'a', match: 2 },
  { event: 'a', eq: 2 },
  { event: 'b', match: { o: { k: 1 } } },
  { event: 'b', match: { o: {} } },
  { event: 'b', field: 'o.k', lte: 1 },
)
const dense = fc
  .letrec<{ node: Condition }>((tie) => ({
    node: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      near,
      near.map((leaf) => not(leaf)),
      fc.array(tie('node'), { minLength: 1, maxLength: 3 }).map((nodes) => all(...nodes)),
      fc.array(tie('node'), { maxLength: 3 }).map((nodes) => any(...nodes)),
      tie('node').map(not),
    ),
  }))
  .node.filter((one) => leavesOf(one).length <= MAX_LEAVES)
const either = fc.oneof(condition, dense, dense)
const leaf = fc.oneof(
  near,
  condition.filter((one) => !('op' in one)),
)

/** All that the leaves of `arbitraries.ts` can tell apart of a value and of a number. */
const GRID: LogEvent[] = [
  -3,
  -2,
  -1.5,
  -1,
  -0.5,
  0,
  0.5,
  1,
  1.5,
  2,
  2.5,
  3,
  3.5,
  4,
  5,
  true,
  false,
  'x',
  'y',
  'z',
]
  .flatMap<{ [key: string]: Json }>((value) => [
    { value },
    { n: value },
    { o: { k: value } },
    { value: [value] },
  ])
  .concat({}, { k: 1 }, { l: 1 }, { o: null }, { o: [] })
  .flatMap((payload) => ['a', 'b', 'c'].map((type) => eventOf(type, payload)))

describe('a hint that the condition is true from the start', () => {
  test('is there if and only if no event is needed (§2.13 rule 1)', () => {
    let count = 0
    fc.assert(
      fc.property(either, (condition) => {
        const isTrue = holds(condition, [])
        assert.equal(pathsOf(hintsTo(condition), 'condition_true_from_start').length, isTrue ? 1 : 0)
        if (!isTrue) return
        count++
        assert.ok(holds(condition, [eventOf('of a type that it does not name')]))
      }),
      { numRuns: 1_000 },
    )
    assert.ok(count > 100, `${count}`)
  })
})

describe('a hint that the condition is impossible', () => {
  test('is there only if no log satisfies it, and mostly if none does (§2.13 rules 1 and 2)', () => {
    const counts = { found: 0, missed: 0 }
    fc.assert(
      fc.property(either, arbitrary.log, (condition, log) => {
        const isHinted = pathsOf(hintsTo(condition), 'condition_impossible').length > 0
        const satisfying = logsOf(condition, eventsAround(condition, log)).find((one) =>
          holds(condition, one),
        )
        if (isHinted) assert.equal(satisfying, undefined)
        if (!satisfying) counts[isHinted ? 'found' : 'missed']++
      }),
      { numRuns: 3_000 },
    )
    assert.ok(counts.found > 200, JSON.stringify(counts))
    assert.ok(counts.missed < counts.found / 5, JSON.stringify(counts))
  })

  test('is exact for a leaf beside the NOT of another: there is none if an event satisfies the one alone', () => {
    fc.assert(
      fc.property(leaf, leaf, (one, other) => {
        const both = all(one, not(other))
        const events = [...GRID, ...eventsAround(both, [])]
        const isPossible = events.some((event) => holds(both, [event]))
        assert.equal(pathsOf(hintsTo(both), 'condition_impossible').length === 0, isPossible)
      }),
      { numRuns: 3_000 },
    )
  })

  test('two leaves that no event satisfies together are not: two events do', () => {
    assert.deepEqual(hintsTo(all({ event: 'a', eq: 1 }, { event: 'a', eq: 2 })), [])
    assert.deepEqual(
      hintsTo(all({ event: 'a', eq: 1 }, not({ event: 'a', eq: 2 })), { review_window: 0 }),
      [],
    )
  })
})

describe('hints to aggregates (§2.1a)', () => {
  const counted = { event: 'a', aggregate: 'count' } as const
  const summed = { event: 'a', field: 'n', aggregate: 'sum' } as const
  const distinct = { event: 'a', field: 'n', aggregate: 'distinct' } as const

  test('name bounds that no count, sum or number of values has', () => {
    const why = (leaf: Leaf) =>
      hintsTo(all(leaf, b))
        .find(({ code }) => code === 'leaf_impossible')
        ?.message.replace('No log satisfies this: ', '')
    const wholeNumber =
      'a count is a whole number from 0 to 10000, the most events of a log, and none of these is'
    assert.equal(why({ ...counted, lt: 0 }), `${wholeNumber} less than 0.`)
    assert.equal(why({ ...counted, eq: 2.5 }), `${wholeNumber} exactly 2.5.`)
    assert.equal(why({ ...counted, gt: 2, lt: 3 }), `${wholeNumber} more than 2 and less than 3.`)
    assert.equal(why({ ...counted, gte: 10_001 }), `${wholeNumber} at least 10001.`)
    assert.match(`${why({ ...distinct, lte: -1 })}`, /^values are counted in whole numbers/)
    assert.equal(why({ ...summed, gt: 3, lte: 3 }), 'no sum is more than 3 and at most 3.')
    for (const leaf of [
      { ...counted, gte: 10_000 },
      { ...counted, lte: 0 },
      { ...counted, gt: 1.5, lt: 2.5 },
      { ...summed, gt: 2, lt: 3 },
      { ...summed, lt: -1 },
      { ...summed, gt: 5, lt: 5.000000000000001 },
      { ...summed, gt: Number.MAX_VALUE },
      { ...distinct, eq: 3 },
    ])
      assert.equal(why(leaf), undefined, JSON.stringify(leaf))
  })

  test('name what no event adds to', () => {
    const why = (leaf: Leaf) => hintsTo(all(leaf, b)).find(({ code }) => code === 'leaf_impossible')?.message
    assert.match(`${why({ ...summed, match: { n: 'x' }, gte: 3 })}`, /exclude each other/)
    assert.match(`${why({ ...distinct, match: { n: null }, gte: 1 })}`, /exclude each other/)
    assert.match(`${why({ ...distinct, match: { n: 'x' }, gte: 2 })}`, /exclude each other/)
    assert.match(`${why({ ...summed, field: 'created_at', gte: 3 })}`, /never in the payload/)
    assert.match(`${why({ ...counted, match: { id: 'x' }, gte: 3 })}`, /never in the payload/)
    assert.equal(why({ ...distinct, match: { n: 'x' }, gte: 1 }), undefined)
    assert.equal(why({ ...summed, match: { n: 2 }, gte: 3 }), undefined)
    assert.equal(why({ ...summed, match: { n: 'x' }, lte: 3 }), undefined)
  })

  test('see that an aggregate and its NOT exclude each other, and imply nothing about single events', () => {
    const isImpossible = (condition: Condition) =>
      pathsOf(hintsTo(condition), 'condition_impossible').length > 0
    assert.ok(isImpossible(all({ ...counted, gte: 2 }, not({ ...counted, gte: 2 }))))
    assert.ok(!isImpossible(all({ ...counted, gte: 2 }, not({ ...counted, gte: 3 }))))
    assert.ok(!isImpossible(all({ event: 'a', gte: 4 }, not({ ...counted, gte: 4 }))))
    assert.ok(!isImpossible(all({ ...summed, gte: 4 }, not({ event: 'a', field: 'n', gte: 4 }))))
  })

  test('suggested events count for the aggregate, and have no number from its bounds', () => {
    const suggested = (leaf: Leaf) => suggestedEvents(all(leaf, b))[0]?.payload
    assert.deepEqual(suggested({ ...counted, match: { on_time: true }, gte: 5 }), { on_time: true })
    assert.deepEqual(suggested({ ...summed, gt: 43 }), { n: 1 })
    assert.deepEqual(suggested({ ...distinct, gte: 3 }), { n: 1 })
    assert.deepEqual(suggested({ ...distinct, match: { n: 'x' }, gte: 1 }), { n: 'x' })
  })

  test('are certain: the condition says the same of every log without what is impossible (§2.13 rule 1)', () => {
    const counts = { parts: 0, conditions: 0, start: 0 }
    const few = arbitrary.extendedCondition.filter((one) => leavesOf(one).length <= MAX_LEAVES)
    const leaves = fc.oneof(
      few,
      fc.tuple(arbitrary.aggregateLeaf, few).map((pair) => all(...pair)),
    )
    fc.assert(
      fc.property(leaves, fc.array(arbitrary.log, { maxLength: 3 }), (condition, logs) => {
        const hints = hintsTo(condition)
        const paths = pathsOf(hints, 'part_impossible', 'leaf_impossible')
        const isImpossible = pathsOf(hints, 'condition_impossible').length > 0
        const isTrue = pathsOf(hints, 'condition_true_from_start').length > 0
        assert.equal(isTrue, holds(condition, []))
        counts.parts += paths.length
        if (isImpossible) counts.conditions++
        if (isTrue) counts.start++
        let log = new EventLog(condition)
        let others = paths.map((path) => new EventLog(withInPlace(condition, path, NEVER)))
        for (const event of [...logs.flat(), ...eventsAround(condition, [])]) {
          log = log.with(event)
          others = others.map((other) => other.with(event))
          if (isImpossible) assert.ok(!log.satisfiesCondition)
          for (const other of others) assert.equal(other.satisfiesCondition, log.satisfiesCondition)
        }
      }),
      { numRuns: 400 },
    )
    assert.ok(counts.parts > 40 && counts.conditions > 8 && counts.start > 20, JSON.stringify(counts))
  })
})

describe('a hint that a part is impossible', () => {
  test('is there only if it could as well never be satisfied: the condition says the same of every log', () => {
    let count = 0
    fc.assert(
      fc.property(either, arbitrary.log, (condition, log) => {
        const paths = pathsOf(hintsTo(condition), 'part_impossible', 'leaf_impossible')
        assert.equal(new Set(paths).size, paths.length)
        const logs = paths.length === 0 ? [] : logsOf(condition, eventsAround(condition, log))
        const without = paths.map((path) => withInPlace(condition, path, NEVER))
        const withoutAll = paths.reduce(
          (rest, path) => (isThere(rest, path) ? withInPlace(rest, path, NEVER) : rest),
          condition,
        )
        count += paths.length
        for (const one of logs) {
          for (const other of [...without, withoutAll]) assert.equal(holds(other, one), holds(condition, one))
        }
      }),
      { numRuns: 3_000 },
    )
    assert.ok(count > 500, `${count}`)
  })

  test('names the part that is needed too', () => {
    const part = (condition: Condition) =>
      hintsTo(condition).flatMap(({ code, path, message }) =>
        code === 'part_impossible'
          ? [[path.replace(`${ROOT}.`, ''), /conditions\[\S*|nothing|negates/.exec(message)?.[0]]]
          : [],
      )
    const big = { event: 'a', gte: 5 }
    assert.deepEqual(part(all(big, any(not(a), b))), [['conditions[1].conditions[0]', 'conditions[0]']])
    assert.deepEqual(part(all(not(a), any(all(c, big), b))), [
      ['conditions[1].conditions[0].conditions[1]', 'conditions[0]'],
    ])
    assert.deepEqual(part(all(a, any(b, any()))), [['conditions[1].conditions[1]', 'nothing']])
    assert.deepEqual(part(any(c, all(a, b, not(all(a, b))))), [['conditions[1].conditions[2]', 'negates']])
    assert.deepEqual(part(all(any(big), any(not(a), b))), [
      ['conditions[1].conditions[0]', 'conditions[0].conditions[0]'],
    ])
    // A contradiction suppresses other hints.
    assert.deepEqual(part(all(a, not(a), any(a, not(a)))), [['conditions[1]', 'conditions[0]']])
    assert.deepEqual(part(all(a, not(big))), [])
    assert.deepEqual(part(all(a, not(all(a, b)))), [])
    assert.deepEqual(part(any(a, not(a))), [])
  })
})

describe('a hint that a leaf is impossible', () => {
  test('is there if and only if no event satisfies it', () => {
    let count = 0
    fc.assert(
      fc.property(leaf, (leaf) => {
        const isPossible = [...GRID, ...eventsAround(leaf, [])].some((event) => holds(leaf, [event]))
        assert.equal(pathsOf(hintsTo(leaf), 'leaf_impossible').length, isPossible ? 0 : 1)
        if (!isPossible) count++
      }),
      { numRuns: 2_000 },
    )
    assert.ok(count > 100, `${count}`)
  })

  test('says why', () => {
    const why = (leaf: Condition) =>
      hintsTo(not(leaf)).find(({ code }) => code === 'leaf_impossible')?.message
    assert.match(`${why({ event: 'activity_window_elapsed' })}`, /those of the service satisfy no leaf/)
    assert.match(`${why({ event: 'a', gt: 3, lte: 3 })}`, /no number is more than 3 and at most 3/)
    assert.match(`${why({ event: 'a', gt: Number.MAX_VALUE })}`, /no number is more than/)
    for (const match of ['x', 1, { value: [3] }, { value: { k: 3 } }]) {
      assert.match(`${why({ event: 'a', match, gte: 3 })}`, /match and the number exclude each other/)
    }
    assert.match(`${why({ event: 'a', match: { o: 3 }, field: 'o.k', gte: 3 })}`, /exclude each other/)
    for (const field of ['id', 'type', 'claim_id', 'candidate_alias', 'created_at', 'system']) {
      assert.match(`${why({ event: 'a', match: { [field]: 'x' } })}`, /never in the payload/)
      assert.match(`${why({ event: 'a', field: `${field}.k`, eq: 1 })}`, /never in the payload/)
      assert.equal(why({ event: 'a', match: { o: { [field]: 'x' } } }), undefined)
    }
    assert.equal(why({ event: 'a', match: { value: 3 }, gte: 3 }), undefined)
    assert.equal(why({ event: 'a', match: { o: {} }, field: 'o.k', gte: 3 }), undefined)
  })
})

function isThere(condition: Condition, path: string): boolean {
  try {
    withInPlace(condition, path, NEVER)
    return true
  } catch {
    return false
  }
}
