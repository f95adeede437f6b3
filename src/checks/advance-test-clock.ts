import type { App } from '../app.ts'
import { scheduledTransitions } from '../core/claims/lifecycle.ts'
import type { TestClock } from '../core/records.ts'
import { validationError } from '../kernel/errors.ts'
import { announceOfAccount } from '../outbox/notification-number-store.ts'
import type { Connection } from '../platform/database/connection.ts'
import { withHeldClock } from '../test-clocks/hold-clock.ts'
import { setTestClock } from '../test-clocks/test-clock-store.ts'
import {
  DUE_START,
  type DueClaim,
  type DueCursor,
  findDueClaimsOnTestClock,
  nextCursor,
} from './due-claim-store.ts'
import { addTransitions, measureTransitions, type TransitionCounts } from './move-batch.ts'
import { applyMoves } from './move-claims-store.ts'

/** Claims that one statement moves. */
const SET = 1_000

/**
 * Sets the clock to a later time and runs the scheduled checks of every whole minute after the old time up to
 * and including the new one. One transaction: a clock is never half-advanced, and advances of one clock come one
 * after the other. It costs the transitions, however many minutes lie between.
 * @throws TEST_CLOCK_NOT_FOUND, VALIDATION_ERROR for an earlier time, UNAVAILABLE
 */
export async function advanceTestClock(
  app: App,
  request: { userId: string; id: string; frozenTime: Date },
): Promise<{ clock: TestClock; transitions: number }> {
  const { userId, id, frozenTime } = request
  const { clock, counts } = await withHeldClock(app, { userId, id }, async (connection, clock) => {
    if (frozenTime < clock.frozenTime) {
      const message = `is before the clock's time, ${clock.frozenTime.toISOString()}: a clock does not go back`
      throw validationError([{ path: 'frozen_time', message }])
    }
    return moveHeldClock(connection, clock, frozenTime)
  })
  measureTransitions(app, 'test_clock', counts)
  return { clock, transitions: counts.values().reduce((sum, count) => sum + count, 0) }
}

/** Sets a clock that is locked, and moves its claims. */
export async function moveHeldClock(
  connection: Connection,
  clock: TestClock,
  frozenTime: Date,
): Promise<{ clock: TestClock; counts: TransitionCounts }> {
  const announced = await announceOfAccount(connection, clock.userId)
  const counts = await moveDueClaims(connection, clock.id, frozenTime, announced)
  return { clock: await setTestClock(connection, clock, frozenTime, announced), counts }
}

/** Returns the transitions that were made. */
async function moveDueClaims(
  connection: Connection,
  clockId: string,
  until: Date,
  announced: string,
): Promise<TransitionCounts> {
  const made: TransitionCounts = new Map()
  for (let cursor: DueCursor | null = DUE_START; cursor; ) {
    const due: DueClaim[] = await findDueClaimsOnTestClock(connection, clockId, until, cursor, SET)
    const moves = due
      .map((claim) => ({ claim, transitions: scheduledTransitions(claim.state, claim.terms, until) }))
      .filter(({ transitions }) => transitions.length > 0)
    const moved = await applyMoves(connection, moves, announced)
    if (moved !== moves.length) throw new Error('a claim changed while its clock was held')
    for (const { state } of moves.flatMap(({ transitions }) => transitions))
      addTransitions(made, state.status, 1)
    cursor = nextCursor(due, SET)
  }
  return made
}
