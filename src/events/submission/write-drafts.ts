import {
  type Append,
  type Appended,
  appendEvents,
  type TimeSource,
} from '../../claims/write/append-events-store.ts'
import type { Connection } from '../../platform/database/connection.ts'
import type { ClaimDraft } from './claim-draft.ts'
import { endsTheWork, isRetry, OVERTAKEN, type Retry, resultOfFailure } from './retry.ts'

/**
 * Writes what there is to be written: all live claims together, and the claims on test clocks account by account. What
 * fails says nothing of what was written before. It never rejects, and each draft knows what became of it.
 */
export async function writeDrafts(db: Connection, drafts: readonly ClaimDraft[]): Promise<void> {
  const writing = drafts.filter(({ writes }) => writes)
  let isOver = false
  for (const some of Map.groupBy(writing, ({ home }) => home).values()) {
    const result = isOver ? OVERTAKEN : await write(db, some)
    isOver ||= endsTheWork(result)
    for (const draft of some) draft.written = writtenTo(draft, result)
  }
}

async function write(db: Connection, drafts: readonly ClaimDraft[]): Promise<Appended | Retry | Error> {
  const appends = drafts.map(({ append }) => append)
  const { testClockId, userId } = (appends[0] as Append).seen
  const time: TimeSource = testClockId === null ? { kind: 'live' } : { kind: 'test clocks', userId }
  try {
    return await appendEvents(db, appends, time)
  } catch (error) {
    return resultOfFailure(error as Error, appends.flatMap(({ events }) => events).length)
  }
}

function writtenTo({ copy: { claim } }: ClaimDraft, result: Appended | Retry | Error): Date | Retry | Error {
  if (result instanceof Error || isRetry(result)) return result
  const { id, userId, testClockId } = claim
  const now = result.clocks.get(testClockId)
  if (now) return result.overtaken.has(id) ? OVERTAKEN : (result.later.get(id) ?? now)
  return { because: 'clock is held', heldClock: { userId, id: testClockId as string } }
}
