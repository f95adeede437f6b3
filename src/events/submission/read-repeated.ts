import { type EventName, type FoundEvent, readEvents } from '../../claims/claim-log-store.ts'
import type { LogEvent } from '../../core/claims/event.ts'
import { runCooperatively } from '../../platform/concurrency/cooperative.ts'
import type { Connection } from '../../platform/database/connection.ts'
import type { PendingDecision, RecordedEvents } from './pending-decision.ts'

/** Reads the recorded events that submissions repeat, and compares them with the submissions. */
export async function readRepeated(db: Connection, decisions: readonly PendingDecision[]): Promise<void> {
  const repeating = decisions.filter(({ hasRepeats }) => hasRepeats)
  if (repeating.length === 0) return
  const names: EventName[] = []
  for (const { snapshot, repeats } of repeating) {
    const claimId = snapshot.claim.id
    for (const { id, payloadBytes } of repeats) names.push({ claimId, id, payloadBytes })
  }
  const found = names.length === 0 ? [] : await readEvents(db, names)
  await runCooperatively(
    compareEach(
      repeating,
      Map.groupBy(found, ({ claimId }) => claimId),
    ),
  )
}

function* compareEach(
  repeating: readonly PendingDecision[],
  found: ReadonlyMap<string, readonly FoundEvent[]>,
): Generator<void, void> {
  for (const decision of repeating)
    yield* decision.compare(recordedById(found.get(decision.snapshot.claim.id) ?? []))
}

function recordedById(events: readonly FoundEvent[]): RecordedEvents {
  const found = new Map<string, LogEvent | null>()
  // If an id was sent twice with different content, at most one of them is the recorded event.
  for (const { id, event } of events) if (event || !found.has(id)) found.set(id, event)
  return found
}
