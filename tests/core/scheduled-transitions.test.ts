import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { scheduledTransitions } from '../../src/core/claims/lifecycle.ts'
import { contractWith } from '../support/contracts.ts'
import { atScheduledCheck, type ClaimState, openState, type Transition } from '../support/source/claims.ts'

const START = Date.parse('2026-01-01T00:00:00Z')
const MINUTE_MS = 60_000
const at = (ms: number) => new Date(START + ms)

/** What the live scheduler does: a check at every whole minute. */
function minuteByMinute(
  state: ClaimState,
  terms: Parameters<typeof openState>[0],
  until: Date,
): Transition[] {
  const transitions: Transition[] = []
  let current = state
  for (let minute = START; minute <= until.getTime(); minute += MINUTE_MS) {
    const transition = atScheduledCheck(current, terms, new Date(minute), null)
    if (transition) {
      transitions.push(transition)
      current = transition.state
    }
  }
  return transitions
}

const seconds = (max: number) =>
  fc.oneof(
    fc.integer({ min: 0, max }),
    fc.nat({ max: max * 1000 }).map((ms) => ms / 1000),
  )

describe('the transitions up to a time', () => {
  test('are those of a check at every whole minute', () => {
    fc.assert(
      fc.property(
        fc.nat({ max: 5 * MINUTE_MS }),
        seconds(900).filter((window) => window > 0),
        seconds(900),
        fc.nat({ max: 60 * MINUTE_MS }),
        (openedAt, activity_window, review_window, until) => {
          const contract = contractWith({ activity_window, review_window })
          const state = openState(contract, at(openedAt))
          assert.deepEqual(
            scheduledTransitions(state, contract, at(openedAt + until)),
            minuteByMinute(state, contract, at(openedAt + until)),
          )
        },
      ),
      { numRuns: 500 },
    )
  })

  test('without a time go on until the claim is terminal, however far that is', () => {
    const contract = contractWith({ activity_window: 3_155_760_000, review_window: 3_155_760_000 })
    const transitions = scheduledTransitions(openState(contract, at(0)), contract, null)
    assert.deepEqual(
      transitions.map(({ state }) => [state.status, state.statusSince.getUTCFullYear()]),
      [
        ['PENDING', 2126],
        ['FAILED', 2226],
      ],
    )
  })
})
