import { holdTestClock, deleteTestClock as removeTestClock } from '../storage/test-clocks.ts'
import type { App } from './app.ts'
import { testClockNotFound } from './not-found.ts'

/** Its claims and candidates go with it, and their aliases are free again. @throws TEST_CLOCK_NOT_FOUND */
export function deleteTestClock(app: App, userId: string, id: string): Promise<void> {
  return app.db.writes.for(userId).transaction(async (connection) => {
    const clock = await holdTestClock(connection, userId, id)
    if (!clock) throw testClockNotFound(id)
    await removeTestClock(connection, clock)
  })
}
