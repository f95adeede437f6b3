import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { Durations } from '../../src/backtest/totals.ts'
import { contractWith, not } from '../support/contracts.ts'
import { type Case, decimalText, minus, plus, runCase, times, toDecimal } from '../support/source/backtest.ts'
import type { Contract } from '../support/source/contracts.ts'
import type { JsonObject } from '../support/source/json.ts'

const START = Date.parse('2026-03-02T08:00:00Z')
const MINUTE = 60_000

/** A case with events at minutes after its start. */
function caseOf(
  events: [minutes: number, type: string, payload?: JsonObject][],
  openedAt: number | null = null,
): Case {
  return {
    id: 'one',
    openedAt,
    events: events.map(([minutes, type, payload = {}], i) => ({
      type,
      at: START + minutes * MINUTE,
      payload,
      payloadBytes: 2,
      line: i + 2,
    })),
  }
}

const run = (contract: Contract, tested: Case, until: number | null = null) => {
  const result = runCase(contract, tested, until)
  assert.ok(result)
  return result
}

describe('a case of a back-test', () => {
  test('opens with its first event, is satisfied by events and ends at the check after its review window', () => {
    const result = run(
      contractWith(),
      caseOf([
        [0, 'begun'],
        [20.5, 'done'],
      ]),
    )
    assert.equal(result.status, 'CONFIRMED')
    assert.equal(result.decidedBy, 'events')
    assert.equal(result.openedAt, START)
    assert.equal(result.resolvedAt, START + 31 * MINUTE)
  })

  test('without what the condition names it waits for the activity window and takes the timeout outcome', () => {
    for (const [timeout_outcome, status] of [
      ['fail', 'FAILED'],
      ['confirm', 'CONFIRMED'],
    ] as const) {
      const result = run(contractWith({ timeout_outcome }), caseOf([[0, 'begun']]))
      assert.equal(result.status, status)
      assert.equal(result.decidedBy, 'window')
      assert.equal(result.resolvedAt, START + 70 * MINUTE)
    }
  })

  test('at the same instant the check comes before the event, which is refused', () => {
    const result = run(
      contractWith(),
      caseOf([
        [0, 'begun'],
        [60, 'done'],
      ]),
    )
    assert.equal(result.status, 'FAILED')
    assert.equal(result.refused.claim_not_open, 1)
    assert.deepEqual(
      result.excluded.map(({ type, line }) => [type, line]),
      [['done', 3]],
    )
  })

  test('an event between the end of the window and the next check is accepted (§3 rule 1)', () => {
    const contract = contractWith({ activity_window: 90 })
    assert.equal(
      run(
        contract,
        caseOf([
          [0, 'begun'],
          [1.9, 'done'],
        ]),
      ).status,
      'CONFIRMED',
    )
  })

  test('events before the opening and of reserved types are refused and counted', () => {
    const tested = caseOf(
      [
        [0, 'done'],
        [2, 'review_window_elapsed'],
        [3, 'begun'],
      ],
      START + MINUTE,
    )
    const { status, refused, accepted } = run(contractWith(), tested)
    assert.equal(status, 'FAILED')
    assert.deepEqual(refused, { claim_not_open: 0, before_opening: 1, reserved_type: 1, log_full: 0 })
    assert.deepEqual(
      accepted.map(({ type }) => type),
      ['begun'],
    )
  })

  test('an `until` leaves cases OPEN or PENDING, skips what comes after it, and cases that open after it', () => {
    const contract = contractWith()
    const tested = caseOf([
      [0, 'begun'],
      [30, 'done'],
    ])
    const open = run(contract, tested, START + 29 * MINUTE)
    assert.equal(open.status, 'OPEN')
    assert.equal(open.afterUntil, 1)
    assert.equal(run(contract, tested, START + 30 * MINUTE).status, 'PENDING')
    assert.equal(run(contract, tested, START + 40 * MINUTE).status, 'CONFIRMED')
    assert.equal(runCase(contract, tested, START - 1), null)
  })

  test('a condition of NOT alone is satisfied by the first event, whatever its type', () => {
    const contract = contractWith({ fulfillment_condition: not({ event: 'complaint' }) })
    assert.equal(run(contract, caseOf([[0, 'anything']])).status, 'CONFIRMED')
    assert.equal(
      run(
        contract,
        caseOf([
          [0, 'complaint'],
          [1, 'anything'],
        ]),
      ).status,
      'FAILED',
    )
  })
})

describe('sums of price', () => {
  test('are exact decimals', () => {
    assert.equal(decimalText(times(toDecimal(0.1), 3)), '0.3')
    assert.equal(decimalText(times(toDecimal(1e12), 10_000_000)), '10000000000000000000')
    assert.equal(decimalText(plus(toDecimal(1e-7), toDecimal(1e12))), '1000000000000.0000001')
    assert.equal(decimalText(minus(toDecimal(49.9), toDecimal(50))), '-0.1')
    assert.equal(decimalText(times(toDecimal(12.5), 2)), '25')
    assert.equal(decimalText(toDecimal(5e-324)).length, 326)
    assert.equal(decimalText(toDecimal(0)), '0')
  })
})

test('the median of an even count is the mean of the middle two; of none it is null', () => {
  const durations = new Durations()
  assert.equal(durations.median, null)
  for (let i = 200; i >= 1; i--) durations.add(i)
  assert.equal(durations.median, 100.5)
  durations.add(0)
  assert.equal(durations.median, 100)
})
