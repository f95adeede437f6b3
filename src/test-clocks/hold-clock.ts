import type { App } from '../app.ts'
import { testClockNotFound } from '../core/record-errors.ts'
import type { TestClock } from '../core/records.ts'
import { type ServiceError, unavailable } from '../kernel/errors.ts'
import type { Connection } from '../platform/database/connection.ts'
import { isPassing } from '../platform/database/database-unavailable.ts'
import { holdTestClock } from './test-clock-store.ts'

/** For the others who hold the clock. */
const PATIENCE_MS = 30_000
/** For submissions and creations that are just being written, and for another server. */
const LONGEST_LOCK_WAIT_MS = 500

/**
 * Does the work in one transaction that holds the clock. On one server those of one clock come one after the other, and
 * wait without a connection: whoever sends many for a clock of his own takes no more than one.
 * @throws TEST_CLOCK_NOT_FOUND, UNAVAILABLE
 */
export function withHeldClock<T>(
  app: App,
  { userId, id }: { userId: string; id: string },
  work: (connection: Connection, clock: TestClock) => Promise<T>,
): Promise<T> {
  const deadline = performance.now() + PATIENCE_MS
  return app.heldClocks.inTurn({ userId, id }, PATIENCE_MS, clockIsHeld(id), async () => {
    while (performance.now() < deadline) {
      try {
        return await app.db.clocks.for(userId).transaction(async (connection) => {
          const clock = await holdTestClock(connection, userId, id, LONGEST_LOCK_WAIT_MS)
          if (!clock) throw testClockNotFound(id)
          return work(connection, clock)
        })
      } catch (error) {
        if (!isPassing(error)) throw error
      }
      await app.heldClocks.untilFreeWithin({ userId, id }, deadline - performance.now())
    }
    throw clockIsHeld(id)
  })
}

export const clockIsHeld = (id: string): ServiceError =>
  unavailable(`The test clock ${id} is being advanced. Nothing was done.`)
