import {
  type Append,
  type Appended,
  appendEvents,
  type TimeSource,
} from '../../storage/claim-writes/append-events.ts'
import type { Connection } from '../../storage/database/database.ts'
import type { ClaimDraft } from './claim-draft.ts'
import { type Again, endsTheWork, fateOf, OVERTAKEN } from './submission-outcome.ts'

/** When a draft was written, or why it was not. */
type Written = Date | Again | Error

/** The submissions of a group to one claim as they were decided, and what became of the write if there was one. */
export interface Attempt {
  readonly draft: ClaimDraft
  written?: Written
}

/**
 * Writes what there is to be written: all live claims together, and the claims on test clocks account by account. What
 * fails says nothing of what was written before. It never rejects.
 */
export async function writeDrafts(db: Connection, attempts: readonly Attempt[]): Promise<void> {
  const writing = attempts.filter(({ draft }) => draft.writes)
  let isOver = false
  for (const some of Map.groupBy(writing, ({ draft }) => draft.home).values()) {
    const result = isOver ? OVERTAKEN : await write(db, some)
    isOver ||= endsTheWork(result)
    for (const attempt of some) attempt.written = writtenTo(attempt.draft, result)
  }
}

async function write(db: Connection, attempts: readonly Attempt[]): Promise<Appended | Again | Error> {
  const appends = attempts.map(({ draft }) => draft.append)
  const { testClockId, userId } = (appends[0] as Append).seen
  const time: TimeSource = testClockId === null ? { kind: 'live' } : { kind: 'test clocks', userId }
  try {
    return await appendEvents(db, appends, time)
  } catch (error) {
    return fateOf(error as Error, appends.flatMap(({ events }) => events).length)
  }
}

function writtenTo({ copy: { claim } }: ClaimDraft, result: Appended | Again | Error): Written {
  if (result instanceof Error || 'again' in result) return result
  const { id, userId, testClockId } = claim
  const now = result.clocks.get(testClockId)
  if (now) return result.overtaken.has(id) ? OVERTAKEN : (result.later.get(id) ?? now)
  return { again: 'clock is held', heldClock: { userId, id: testClockId as string } }
}
