import { findTestClocks, type TestClock } from '../storage/test-clocks.ts'
import type { App } from './app.ts'
import { testClockNotFound } from './not-found.ts'

/** @throws TEST_CLOCK_NOT_FOUND */
export async function getTestClock(app: App, userId: string, id: string): Promise<TestClock> {
  const [clock] = await findTestClocks(app.db.reads.for(userId), userId, [id])
  if (!clock) throw testClockNotFound(id)
  return clock
}
