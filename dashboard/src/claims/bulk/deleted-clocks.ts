import { ApiError } from '../../api/client.ts'
import { readTestClock } from '../../test-clocks/test-clocks-api.ts'
import type { BatchResult } from './event-batches-api.ts'

/**
 * Those of these test clocks that are deleted, with what is to be said of their candidates: they went with them, and
 * others that were not counted may have their aliases by now.
 */
export async function deletedClocks(
  ids: ReadonlySet<string>,
  signal: AbortSignal,
): Promise<Map<string, BatchResult>> {
  const deleted = new Map<string, BatchResult>()
  const look = async (id: string) => {
    try {
      await readTestClock(id, signal)
    } catch (error) {
      if (!(error instanceof ApiError && error.code === 'TEST_CLOCK_NOT_FOUND')) throw error
      const message = 'The candidate was deleted with its test clock.'
      deleted.set(id, { status: error.status, error: { code: error.code, message } })
    }
  }
  await Promise.all(Array.from(ids, look))
  return deleted
}
