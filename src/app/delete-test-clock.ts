import { deleteTestClock as removeTestClock } from '../storage/test-clocks.ts'
import type { App } from './app.ts'
import { withHeldClock } from './hold-clock.ts'

/** Its claims and candidates go with it, and their aliases are free again. @throws TEST_CLOCK_NOT_FOUND, UNAVAILABLE */
export function deleteTestClock(app: App, userId: string, id: string): Promise<void> {
  return withHeldClock(app, { userId, id }, removeTestClock)
}
