import { isUuid } from '../domain/uuid.ts'
import type { Page } from '../storage/list-page.ts'
import {
  findTestClockPosition,
  listTestClocks as readTestClocks,
  type TestClock,
} from '../storage/test-clocks.ts'
import type { App } from './app.ts'
import { type PageRequest, resolveCursor } from './cursor.ts'

export async function listTestClocks(
  app: App,
  request: PageRequest & { userId: string },
): Promise<Page<TestClock>> {
  const after = await resolveCursor(request.after, async (id) =>
    isUuid(id) ? findTestClockPosition(app.db.reads.for(request.userId), request.userId, id) : null,
  )
  return readTestClocks(app.db.reads.for(request.userId), { ...request, after })
}
