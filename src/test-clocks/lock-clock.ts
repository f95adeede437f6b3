import type { App } from '../app.ts'
import { testClockNotFound } from '../core/record-errors.ts'
import type { TestClock } from '../core/records.ts'
import { type ServiceError, unavailable } from '../kernel/errors.ts'
import type { Connection } from '../platform/database/connection.ts'
import { isTransient } from '../platform/database/database-unavailable.ts'
import { CLOCK_LOCK_TIMEOUT_MS, CLOCK_WAIT_TIMEOUT_MS } from './limits.ts'
import { lockTestClock } from './test-clock-store.ts'

/**
 * Runs the work in one transaction that has locked the clock. On one server, the transactions of a clock run one after the other,
 * and wait without a connection: many requests for one clock use one connection.
 * @throws TEST_CLOCK_NOT_FOUND, UNAVAILABLE
 */
export function withLockedClock<T>(
  app: App,
  { userId, id }: { userId: string; id: string },
  work: (connection: Connection, clock: TestClock) => Promise<T>,
): Promise<T> {
  const deadline = performance.now() + CLOCK_WAIT_TIMEOUT_MS
  const task = async () => {
    while (performance.now() < deadline) {
      try {
        return await app.db.clocks.for(userId).transaction(async (connection) => {
          const clock = await lockTestClock(connection, userId, id, CLOCK_LOCK_TIMEOUT_MS)
          if (!clock) throw testClockNotFound(id)
          return work(connection, clock)
        })
      } catch (error) {
        if (!isTransient(error)) throw error
      }
      await app.lockedClocks.untilFreeWithin({ userId, id }, deadline - performance.now())
    }
    throw clockIsLocked(id)
  }
  const timeout = { timeoutMs: CLOCK_WAIT_TIMEOUT_MS, error: () => clockIsLocked(id) }
  return app.lockedClocks.runExclusive({ userId, id }, task, timeout)
}

export const clockIsLocked = (id: string): ServiceError =>
  unavailable(`The test clock ${id} is being advanced. Nothing was done.`)
