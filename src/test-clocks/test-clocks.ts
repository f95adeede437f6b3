import type { App } from '../app.ts'
import { testClockNotFound } from '../core/record-errors.ts'
import type { TestClock } from '../core/records.ts'
import { isUuid } from '../kernel/uuid.ts'
import type { Context } from '../platform/database/context.ts'
import { findDeletedPosition } from '../platform/database/lists/deleted-positions.ts'
import type { Page } from '../platform/database/lists/list-page.ts'
import { type PageRequest, resolveCursor } from '../platform/database/lists/list-query.ts'
import { withLockedClock } from './lock-clock.ts'
import {
  findTestClockPosition,
  findTestClocks,
  insertTestClock,
  listTestClocks as readTestClocks,
  deleteTestClock as removeTestClock,
} from './test-clock-store.ts'

export function createTestClock(
  { userId, write }: Context,
  request: { name: string | null; frozenTime: Date },
): Promise<TestClock> {
  return insertTestClock(write, { ...request, userId })
}

/** @throws TEST_CLOCK_NOT_FOUND */
export async function getTestClock(app: App, userId: string, id: string): Promise<TestClock> {
  const [clock] = await findTestClocks(app.db.reads.for(userId), userId, [id])
  if (!clock) throw testClockNotFound(id)
  return clock
}

export async function listTestClocks(
  app: App,
  request: PageRequest & { userId: string },
): Promise<Page<TestClock>> {
  const { userId } = request
  const db = app.db.reads.for(userId)
  const after = await resolveCursor(request.after, async (id) =>
    isUuid(id)
      ? ((await findTestClockPosition(db, userId, id)) ??
        (await findDeletedPosition(db, userId, 'test_clock', id)))
      : null,
  )
  return readTestClocks(db, { ...request, after })
}

/** Deletes the clock with its claims and candidates. Their aliases are free again. @throws TEST_CLOCK_NOT_FOUND, UNAVAILABLE */
export function deleteTestClock(app: App, userId: string, id: string): Promise<void> {
  return withLockedClock(app, { userId, id }, removeTestClock)
}
