import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import * as arbitrary from '../support/arbitraries.ts'
import { all, any, not } from '../support/contracts.ts'
import { EventLog, type LogEvent } from '../support/source/claims.ts'
import { type Condition, namedEventTypes } from '../support/source/contracts.ts'
import type { JsonObject } from '../support/source/json.ts'

const event = (type: string, payload: JsonObject = {}): LogEvent => ({
  id: `${type}-${JSON.stringify(payload)}`,
  type,
  payload,
  system: false,
  createdAt: new Date(0),
})
const isSatisfied = (condition: Condition, log: LogEvent[]) => EventLog.of(condition, log).satisfiesCondition
const holds = (condition: Condition, ...log: LogEvent[]) => isSatisfied(condition, log)

describe('a leaf', () => {
  test('is satisfied by the presence of its event type, case-sensitive', () => {
    assert.equal(holds({ event: 'done' }), false)
    assert.equal(holds({ event: 'done' }, event('Done'), event('done ')), false)
    assert.equal(holds({ event: 'done' }, event('other'), event('done')), true)
  })

  test('with an object as match needs every key with an equal value, objects key by key', () => {
    const leaf = { event: 'e', match: { a: 1, o: { k: 'x' } } }
    assert.equal(holds(leaf, event('e', { a: 1, o: { k: 'x', more: true }, b: 2 })), true)
    assert.equal(holds(leaf, event('e', { a: 1, o: { l: 'x' } })), false)
    assert.equal(holds(leaf, event('e', { a: 1 })), false)
    assert.equal(holds(leaf, event('e', { a: '1', o: { k: 'x' } })), false)
    assert.equal(holds({ event: 'e', match: { a: null } }, event('e', { a: null })), true)
    assert.equal(holds({ event: 'e', match: { a: null } }, event('e')), false)
    assert.equal(holds({ event: 'e', match: {} }, event('e')), true)
  })

  test('matches arrays whole, order included', () => {
    const leaf = { event: 'e', match: { list: [1, { k: 'x' }] } }
    assert.equal(holds(leaf, event('e', { list: [1, { k: 'x' }] })), true)
    assert.equal(holds(leaf, event('e', { list: [{ k: 'x' }, 1] })), false)
    assert.equal(holds(leaf, event('e', { list: [1, { k: 'x', l: 1 }] })), false)
    assert.equal(holds(leaf, event('e', { list: [1, { k: 'x' }, 2] })), false)
  })

  test('with a scalar as match compares the value, without converting it', () => {
    for (const value of ['x', 0, 1.5, false]) {
      assert.equal(holds({ event: 'e', match: value }, event('e', { value })), true)
    }
    assert.equal(holds({ event: 'e', match: 1 }, event('e', { value: '1' })), false)
    assert.equal(holds({ event: 'e', match: false }, event('e', { value: 0 })), false)
    assert.equal(holds({ event: 'e', match: 'x' }, event('e', { value: ['x'] })), false)
    assert.equal(holds({ event: 'e', match: 'x' }, event('e')), false)
  })

  test('compares the value, or the number at the path of field', () => {
    const at3 = event('e', { value: 3, o: { deep: { n: 7 } } })
    assert.deepEqual(
      [
        { gt: 2 },
        { gt: 3 },
        { gte: 3 },
        { gte: 4 },
        { lt: 4 },
        { lt: 3 },
        { lte: 3 },
        { lte: 2 },
        { eq: 3 },
        { eq: 4 },
      ].map((comparison) => holds({ event: 'e', ...comparison }, at3)),
      [true, false, true, false, true, false, true, false, true, false],
    )
    assert.equal(holds({ event: 'e', field: 'o.deep.n', eq: 7 }, at3), true)
    assert.equal(holds({ event: 'e', field: 'o.deep', eq: 7 }, at3), false)
  })

  test('is not satisfied where there is no number: missing, a string, null, an array', () => {
    for (const value of ['3', null, [3], { n: 3 }, true]) {
      assert.equal(holds({ event: 'e', eq: 3 }, event('e', { value })), false)
    }
    assert.equal(holds({ event: 'e', gte: 0 }, event('e')), false)
    assert.equal(holds({ event: 'e', field: 'list.0', eq: 3 }, event('e', { list: [3] })), false)
    assert.equal(holds({ event: 'e', field: 'list.length', eq: 1 }, event('e', { list: [3] })), false)
  })

  test('never looks at inherited properties', () => {
    assert.equal(holds({ event: 'e', field: 'constructor.length', gte: 0 }, event('e')), false)
    assert.equal(holds({ event: 'e', match: { toString: {} } }, event('e')), false)
  })

  test('is satisfied by one event at once: a range is not met by two events', () => {
    const range = { event: 'e', gte: 3, lt: 5 }
    assert.equal(holds(range, event('e', { value: 9 }), event('e', { value: 1 })), false)
    assert.equal(holds(range, event('e', { value: 9 }), event('e', { value: 4 })), true)
    const both = { event: 'e', match: { ok: true }, gte: 3 }
    assert.equal(holds(both, event('e', { ok: true, value: 1 }), event('e', { ok: false, value: 4 })), false)
  })

  test('on a reserved type is never satisfied by what a user submits (§2.2 rule 3)', () => {
    const log = ['activity_window', 'review_window_elapsed ', 'done'].map((type) => event(type))
    assert.equal(holds({ event: 'activity_window_elapsed' }, ...log), false)
    assert.equal(holds({ event: 'review_window_elapsed' }, ...log), false)
    assert.equal(
      holds({ event: 'activity_window_elapsed' }, { ...event('activity_window_elapsed'), system: true }),
      false,
    )
  })
})

describe('operators', () => {
  const [yes, no] = [all(), any()]

  test('AND of nothing is true, OR of nothing is false, NOT turns round', () => {
    assert.equal(holds(yes), true)
    assert.equal(holds(no), false)
    assert.equal(holds(not(no)), true)
    assert.equal(holds(not(yes)), false)
  })

  test('AND needs all, OR needs one', () => {
    assert.deepEqual(
      [all(yes, yes), all(yes, no), any(no, yes), any(no, no)].map((condition) => holds(condition)),
      [true, false, true, false],
    )
  })

  test('the types that a condition names are those of its leaves', () => {
    const condition = all({ event: 'a' }, any(not({ event: 'b' }), { event: 'a', gt: 1 }))
    assert.deepEqual([...namedEventTypes(condition)].sort(), ['a', 'b'])
  })
})

describe('for every condition and log', () => {
  test('the order of events changes nothing (§2.2 rule 2)', () => {
    fc.assert(
      fc.property(
        arbitrary.condition,
        arbitrary.log.chain((log) =>
          fc.tuple(fc.constant(log), fc.shuffledSubarray(log, { minLength: log.length })),
        ),
        (condition, [log, shuffled]) => isSatisfied(condition, log) === isSatisfied(condition, shuffled),
      ),
    )
  })

  test('repeating events changes nothing (§2.2 rule 2)', () => {
    fc.assert(
      fc.property(
        arbitrary.condition,
        arbitrary.log.chain((log) => fc.tuple(fc.constant(log), fc.subarray(log))),
        (condition, [log, again]) =>
          isSatisfied(condition, log) === isSatisfied(condition, [...log, ...again]),
      ),
    )
  })

  test('De Morgan: NOT of AND is OR of NOTs, and the other way round', () => {
    fc.assert(
      fc.property(fc.array(arbitrary.condition, { maxLength: 3 }), arbitrary.log, (conditions, log) => {
        const nots = conditions.map(not)
        assert.equal(isSatisfied(not(all(...conditions)), log), isSatisfied(any(...nots), log))
        assert.equal(isSatisfied(not(any(...conditions)), log), isSatisfied(all(...nots), log))
      }),
    )
  })

  test('a range on one event is not met by two', () => {
    const value = fc.integer({ min: -10, max: 10 })
    fc.assert(
      fc.property(value, value, fc.array(value, { maxLength: 6 }), (gte, lt, values) => {
        const log = values.map((n) => event('e', { value: n }))
        const inRange = values.some((n) => n >= gte && n < lt)
        assert.equal(isSatisfied({ event: 'e', gte, lt }, log), inRange)
      }),
    )
  })

  test('adding events one by one comes to the same as looking at each leaf and every event anew', () => {
    const anew = (condition: Condition, log: LogEvent[]): boolean => {
      if (!('op' in condition)) return log.some((one) => isSatisfied(condition, [one]))
      if (condition.op === 'NOT') return !anew(condition.condition, log)
      const children = condition.conditions.map((child) => anew(child, log))
      return condition.op === 'AND' ? !children.includes(false) : children.includes(true)
    }
    fc.assert(
      fc.property(arbitrary.condition, arbitrary.log, (condition, log) => {
        let growing = new EventLog(condition)
        for (const [i, event] of log.entries()) {
          growing = growing.with(event)
          assert.equal(growing.satisfiesCondition, anew(condition, log.slice(0, i + 1)))
        }
      }),
    )
  })

  test('events of types that it does not name change nothing', () => {
    fc.assert(
      fc.property(arbitrary.condition, arbitrary.log, (condition, log) => {
        const named = namedEventTypes(condition)
        assert.equal(
          isSatisfied(condition, log),
          isSatisfied(
            condition,
            log.filter(({ type }) => named.has(type)),
          ),
        )
      }),
    )
  })
})
