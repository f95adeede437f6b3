import { insertTestClock, type TestClock } from '../storage/test-clocks.ts'
import type { App } from './app.ts'

export function createTestClock(
  app: App,
  request: { userId: string; name: string | null; frozenTime: Date },
): Promise<TestClock> {
  return insertTestClock(app.db.writes.for(request.userId), request)
}
