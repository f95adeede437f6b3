import type { App } from '../app.ts'
import type { CalendarTimes } from '../calendars/calendar-times.ts'
import { type Status, scheduledTransitions } from '../core/claims/lifecycle.ts'
import type { TestClock } from '../core/records.ts'
import { type ServiceError, unavailable, validationError } from '../kernel/errors.ts'
import { announceOfAccount } from '../outbox/notification-number-store.ts'
import type { Connection } from '../platform/database/connection.ts'
import { withLockedClock } from '../test-clocks/lock-clock.ts'
import { setTestClock } from '../test-clocks/test-clock-store.ts'
import {
  DUE_START,
  type DueClaim,
  type DueCursor,
  findDueClaimsOnTestClock,
  nextCursor,
} from './due-claim-store.ts'
import { MOVE_BATCH_SIZE } from './limits.ts'
import { applyMoves, type ClaimMove } from './move-claims-store.ts'
import { withReviewTime } from './review-time.ts'
import { sendRemindersOnTestClock } from './send-reminders.ts'

/**
 * Sets the clock to a later time, and runs the scheduled check of every whole minute after the old time up to and including the
 * new time. One transaction: a clock is never half-advanced, and advances of one clock run one after the other. The cost
 * depends on the transitions, not on the minutes between the times.
 * @throws TEST_CLOCK_NOT_FOUND, VALIDATION_ERROR for an earlier time, UNAVAILABLE
 */
export async function advanceTestClock(
  app: App,
  request: { userId: string; id: string; frozenTime: Date },
): Promise<{ clock: TestClock; transitions: number }> {
  const { userId, id, frozenTime } = request
  const { clock, counts, reminders } = await withLockedClock(
    app,
    { userId, id },
    async (connection, clock) => {
      if (frozenTime < clock.frozenTime) {
        const message = `is before the clock's time, ${clock.frozenTime.toISOString()}: a clock does not go back`
        throw validationError([{ path: 'frozen_time', message }])
      }
      return moveLockedClock(connection, app.calendarTimes, clock, frozenTime)
    },
  )
  for (const [to, count] of counts)
    app.db.metrics.instruments.transitions.inc({ by: 'test_clock', to }, count)
  app.db.metrics.instruments.reminders.inc({ by: 'test_clock' }, reminders)
  return { clock, transitions: counts.values().reduce((sum, count) => sum + count, 0) }
}

/**
 * Sets a clock that is locked, sends the reminders of its claims, and moves them. Returns how many transitions led to each
 * status, and how many reminders were sent.
 */
export async function moveLockedClock(
  connection: Connection,
  calendarTimes: CalendarTimes,
  clock: TestClock,
  frozenTime: Date,
): Promise<{ clock: TestClock; counts: ReadonlyMap<Status, number>; reminders: number }> {
  const announced = await announceOfAccount(connection, clock.userId)
  const reminders = await sendRemindersOnTestClock(connection, clock, frozenTime, announced)
  const counts = await moveDueClaims(connection, calendarTimes, clock.id, frozenTime, announced)
  return { clock: await setTestClock(connection, clock, frozenTime, announced), counts, reminders }
}

async function moveDueClaims(
  connection: Connection,
  calendarTimes: CalendarTimes,
  clockId: string,
  until: Date,
  announced: string,
): Promise<ReadonlyMap<Status, number>> {
  const counts = new Map<Status, number>()
  for (let cursor: DueCursor | null = DUE_START; cursor; ) {
    const due: DueClaim[] = await findDueClaimsOnTestClock(
      connection,
      clockId,
      until,
      cursor,
      MOVE_BATCH_SIZE,
    )
    const moves: ClaimMove[] = []
    for (const claim of due) {
      const terms = await withReviewTime(calendarTimes, connection, claim)
      const transitions = scheduledTransitions(claim.state, terms, until)
      if (transitions.length > 0) moves.push({ claim, transitions })
    }
    const moved = await applyMoves(connection, moves, announced)
    if (moved !== moves.length) throw claimsChanged()
    for (const { state } of moves.flatMap(({ transitions }) => transitions))
      counts.set(state.status, (counts.get(state.status) ?? 0) + 1)
    cursor = nextCursor(due, MOVE_BATCH_SIZE)
  }
  return counts
}

/**
 * The lock of the clock prevents new events. On Citus a claim can still change: if the connection to a node was cut during the
 * commit of an earlier write, the node may commit its part later. The transaction of the advance is rolled back.
 */
const claimsChanged = (): ServiceError =>
  unavailable('A claim of the test clock was changed during the advance. Nothing was done.')
