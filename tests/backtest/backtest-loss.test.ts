import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { Comparison } from '../../src/backtest/comparison.ts'
import { lossOf } from '../../src/backtest/loss.ts'
import { Totals } from '../../src/backtest/totals.ts'
import { all, any, contractWith, not } from '../support/contracts.ts'
import { decimalText, runCase } from '../support/source/backtest.ts'
import type { Condition } from '../support/source/contracts.ts'
import type { JsonObject } from '../support/source/json.ts'

type Event = [minutes: number, type: string, payload?: JsonObject]

function resultOf(condition: Condition, events: Event[], id = 'one', price = 10) {
  const contract = contractWith({ fulfillment_condition: condition, price })
  const tested = events.map(([minutes, type, payload = {}], i) => {
    return { type, at: minutes * 60_000, payload, payloadBytes: 2, line: i + 1 }
  })
  const result = runCase(contract, { id, openedAt: 0, events: tested }, null)
  assert.ok(result)
  return { contract, result }
}

function loss(condition: Condition, ...events: Event[]) {
  const { contract, result } = resultOf(condition, events)
  assert.equal(result.status, 'FAILED')
  return lossOf(contract, result)
}

const missing = (condition: Condition, ...events: Event[]) =>
  loss(condition, ...events)?.missing.map(({ leaf, isWanted }) => `${isWanted ? '' : 'not '}${leaf.event}`)

describe('how much a case lost by', () => {
  test('is the least number of leaves that would have to change', () => {
    const [a, b, c, d] = ['a', 'b', 'c', 'd'].map((event) => ({ event })) as [
      Condition,
      Condition,
      Condition,
      Condition,
    ]
    assert.deepEqual(missing(all(a, b, c), [1, 'b']), ['a', 'c'])
    assert.deepEqual(missing(any(all(a, b), all(c, d)), [1, 'c']), ['d'])
    assert.deepEqual(missing(all(a, not(b)), [1, 'b']), ['a', 'not b'])
    assert.deepEqual(missing(not(any(a, b)), [1, 'a'], [2, 'b']), ['not a', 'not b'])
    assert.deepEqual(missing(not(all(a, not(b))), [1, 'a']), ['not a'])
  })

  test('is nothing where the condition holds but no event came while the claim was open', () => {
    const never = loss(not({ event: 'complaint' }), [61, 'late'])
    assert.deepEqual(never?.missing, [])
  })

  test('has no measure where only a system event could satisfy the condition (§2.2 rule 3)', () => {
    assert.equal(loss({ event: 'activity_window_elapsed' }, [1, 'a']), null)
    assert.equal(loss({ op: 'OR', conditions: [] }, [1, 'a']), null)
    assert.deepEqual(missing(any({ event: 'review_window_elapsed' }, { event: 'b' }), [1, 'a']), ['b'])
  })

  test('tells how long after the activity window the event came that would have won', () => {
    const found = loss(all({ event: 'a' }, { event: 'b' }), [1, 'a'], [70, 'x'], [180, 'b'], [200, 'b'])
    assert.equal(found?.late?.event.line, 3)
    assert.equal(found?.late?.byMs, 120 * 60_000)
    assert.equal(loss({ event: 'a' }, [70, 'b'])?.late, null)
  })
})

describe('totals', () => {
  test('rank the ten nearest losers: fewer missing first, then less late, then the order of the log', () => {
    const condition = all({ event: 'a' }, { event: 'b', gte: 5 })
    const cases: [string, Event[]][] = [
      ['two', [[1, 'x']]],
      [
        'one',
        [
          [1, 'a'],
          [2, 'b', { value: 3 }],
          [3, 'b', { value: 4.5 }],
        ],
      ],
      [
        'late',
        [
          [1, 'a'],
          [90, 'b', { value: 5 }],
        ],
      ],
      [
        'sooner',
        [
          [1, 'a'],
          [80, 'b', { value: 5 }],
        ],
      ],
      ...Array.from({ length: 10 }, (_, i): [string, Event[]] => [`more ${i}`, [[1, 'a']]]),
    ]
    const totals = new Totals(resultOf(condition, [[1, 'x']]).contract)
    for (const [id, events] of cases) totals.add(resultOf(condition, events, id).result)
    const ids = totals.nearestLosers.map(({ id }) => id)
    assert.deepEqual(ids, ['sooner', 'late', 'one', ...Array.from({ length: 7 }, (_, i) => `more ${i}`)])
    assert.equal(totals.nearestLosers[2]?.missing[0]?.closest, 4.5)
    assert.equal(decimalText(totals.priceSum('FAILED')), '140')
    assert.equal(totals.reasons.window_elapsed_events_late, 2)
    assert.equal(totals.reasons.window_elapsed_events_missing, 12)
  })

  test('a comparison counts what changes by status and by money, exactly', () => {
    const [one, other] = [
      resultOf({ event: 'a' }, [[1, 'a']], 'x', 0.1),
      resultOf({ event: 'b' }, [[1, 'a']], 'x', 0.2),
    ]
    const comparison = new Comparison(one.contract, other.contract)
    for (let i = 0; i < 3; i++) comparison.add(one.result, other.result)
    comparison.add(other.result, other.result)
    comparison.add(one.result, one.result)
    assert.equal(comparison.changed, 4)
    assert.equal(comparison.unchanged, 1)
    assert.equal(decimalText(comparison.difference), '-0.2')
    assert.deepEqual(
      comparison.changes.map(({ from, to, count, difference }) => [from, to, count, decimalText(difference)]),
      [
        ['CONFIRMED', 'FAILED', 3, '-0.3'],
        ['CONFIRMED', 'CONFIRMED', 1, '0.1'],
      ],
    )
  })
})
