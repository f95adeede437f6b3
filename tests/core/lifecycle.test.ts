import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { contractWith } from '../support/contracts.ts'
import { atScheduledCheck, type ClaimState, openState, satisfied, stateAt } from '../support/source/claims.ts'
import { windowMs } from '../support/source/contracts.ts'

const time = (text: string) => new Date(`2026-01-01T${text}Z`)

describe('a new claim', () => {
  test('is OPEN, with no outcome, due after the activity window', () => {
    assert.deepEqual(openState(contractWith({ activity_window: 1.5 }), time('12:00:00.000')), {
      status: 'OPEN',
      scheduledOutcome: null,
      statusSince: time('12:00:00.000'),
      dueAt: time('12:00:01.500'),
    })
  })
})

describe('§3 transition table', () => {
  const contract = contractWith({ activity_window: 60, review_window: 30 })
  const open = openState(contract, time('12:00:00.000'))
  const pending = (scheduledOutcome: 'CONFIRMED' | 'FAILED'): ClaimState => ({
    status: 'PENDING',
    scheduledOutcome,
    statusSince: time('12:00:10.000'),
    dueAt: time('12:00:40.000'),
  })

  test('row 1: OPEN, event submission, condition true: PENDING, CONFIRMED scheduled, status_since updated', () => {
    assert.deepEqual(stateAt(satisfied(contract), time('12:00:10.000')), pending('CONFIRMED'))
  })

  test('row 2: OPEN, scheduled check, activity window elapsed: PENDING with the outcome of timeout_outcome', () => {
    for (const [timeout_outcome, scheduledOutcome] of [
      ['fail', 'FAILED'],
      ['confirm', 'CONFIRMED'],
    ] as const) {
      assert.deepEqual(
        atScheduledCheck(
          open,
          contractWith({ review_window: 30, timeout_outcome }),
          time('12:01:00.000'),
          null,
        ),
        {
          state: {
            status: 'PENDING',
            scheduledOutcome,
            statusSince: time('12:01:00.000'),
            dueAt: time('12:01:30.000'),
          },
          systemEventType: 'activity_window_elapsed',
        },
      )
    }
  })

  test('rows 3 and 4: PENDING, scheduled check, review window elapsed: the scheduled outcome', () => {
    for (const outcome of ['CONFIRMED', 'FAILED'] as const) {
      assert.deepEqual(atScheduledCheck(pending(outcome), contract, time('12:01:00.000'), null), {
        state: { status: outcome, scheduledOutcome: outcome, statusSince: time('12:01:00.000'), dueAt: null },
        systemEventType: 'review_window_elapsed',
      })
    }
  })

  test('a window that has not elapsed moves nothing; one that elapses now does', () => {
    const check = (at: string) => atScheduledCheck(open, contract, time(at), null)
    assert.equal(check('12:00:59.999'), null)
    assert.notEqual(check('12:01:00.000'), null)
  })

  test('windows are measured from status_since of the state, not from the creation (§3 rule 1)', () => {
    const later = stateAt(satisfied(contract), time('12:00:50.000'))
    assert.equal(atScheduledCheck(later, contract, time('12:01:00.000'), null), null)
    assert.notEqual(atScheduledCheck(later, contract, time('12:02:00.000'), null), null)
  })

  test('terminal states have no outgoing transitions (§3 rule 4)', () => {
    for (const status of ['CONFIRMED', 'FAILED'] as const) {
      const terminal = { status, scheduledOutcome: status, statusSince: time('12:00:00.000'), dueAt: null }
      assert.equal(atScheduledCheck(terminal, contract, new Date('9999-01-01T00:00:00Z'), null), null)
    }
  })

  test('a claim makes one transition a check, also with a review window of 0', () => {
    const terms = contractWith({ review_window: 0 })
    const at = time('12:05:00.000')
    const first = atScheduledCheck(openState(contractWith(), time('10:00:00.000')), terms, at, null)
    assert.equal(first?.state.status, 'PENDING')
    assert.equal(atScheduledCheck(first?.state as ClaimState, terms, at, null), null)
    assert.equal(
      atScheduledCheck(first?.state as ClaimState, terms, time('12:06:00.000'), null)?.state.status,
      'FAILED',
    )
  })

  test('a state begins no earlier than the last event, recorded while the check was on its way', () => {
    const eventAt = time('12:01:00.250')
    const moved = atScheduledCheck(open, contract, time('12:01:00.000'), eventAt)
    assert.deepEqual(moved?.state.statusSince, eventAt)
    assert.deepEqual(moved?.state.dueAt, time('12:01:30.250'))
  })
})

describe('windows in milliseconds', () => {
  test('are exact for decimal fractions and never shorter than the window', () => {
    assert.deepEqual(
      [1.1, 0.3, 0.1 + 0.2, 1.001, 2.675, 8.31, 86_400.001, 123_456_789.123].map(windowMs),
      [1100, 300, 300, 1001, 2675, 8310, 86_400_001, 123_456_789_123],
    )
    assert.deepEqual(
      [0.001, 0.0011, 0.002, 1.0000001, 3_155_759_999.9999].map(windowMs),
      [1, 2, 2, 1001, 3_155_760_000_000],
    )
    assert.equal(windowMs(0), 0)
    assert.equal(windowMs(3_155_760_000), 3_155_760_000_000)
  })

  test('of whatever is more than nothing are a millisecond at least (§2.1)', () => {
    assert.deepEqual([0.0004, 0.0001, 1e-7, 1e-9, Number.MIN_VALUE].map(windowMs), [1, 1, 1, 1, 1])
    fc.assert(
      fc.property(fc.double({ min: Number.MIN_VALUE, max: 3_155_760_000, noNaN: true }), (seconds) => {
        const ms = windowMs(seconds)
        assert.ok(Number.isInteger(ms) && ms >= 1)
        assert.ok(ms >= seconds * 1000 * (1 - 1e-15) && ms <= Math.floor(seconds * 1000) + 1, `${ms}`)
      }),
    )
  })

  test('whole milliseconds stay what they are', () => {
    fc.assert(fc.property(fc.integer({ min: 0, max: 3_155_760_000_000 }), (ms) => windowMs(ms / 1000) === ms))
  })
})
