import type { LogEvent } from '../domain/event.ts'
import { type Append, type Appended, appendEvents, type TimeSource } from '../storage/append-events.ts'
import { type EventName, readEvents } from '../storage/claim-log.ts'
import { readClaimsToDecide } from '../storage/claims-to-decide.ts'
import type { Connection } from '../storage/database.ts'
import { DatabaseAway } from '../storage/database-away.ts'
import { type ClaimCopies, copyOf, mayHold } from './claim-copies.ts'
import { ClaimDraft } from './claim-draft.ts'
import { claimNotFound } from './not-found.ts'
import type { EventRequest, SubmittedEvent } from './submit-event.ts'

/** Submissions to one claim, in their order. */
export interface ClaimSubmissions {
  claimId: string
  requests: readonly EventRequest[]
}

/**
 * What became of a submission. `again`: nothing is decided yet, since somebody else was faster (§3 rule 3), the
 * claim's test clock is being advanced, the write was lost on its way and may have taken effect, or the database
 * refused what was written together with it.
 */
export type Outcome = SubmittedEvent | Error | Again
export interface Again {
  again: 'overtaken' | 'clock is held' | 'write was lost' | 'refused together'
  cause?: unknown
}
export const OVERTAKEN: Again = { again: 'overtaken' }

/**
 * Decides and records submissions to several claims, with one statement for all of their writes (claims on test
 * clocks need one more a clock). The claims without a copy are read before. Outcomes are in the order of the
 * requests, and tell of each what was written. Each claim may be in it once.
 * @throws where nothing was written
 */
export async function submitGroup(
  db: Connection,
  copies: ClaimCopies,
  groups: readonly ClaimSubmissions[],
): Promise<Outcome[][]> {
  try {
    const drafts = await draftGroups(db, copies, groups)
    const recorded = await readRecorded(db, drafts)
    const written = await writeDrafts(db, drafts)
    return groups.map(({ claimId, requests }) => {
      const draft = drafts.get(claimId)
      if (!draft) return requests.map(({ address }) => claimNotFound(address))
      return settle(copies, draft, written.get(claimId), recorded.get(claimId) ?? new Map())
    })
  } catch (error) {
    // Drafts change the copies that they are made by.
    for (const { claimId } of groups) copies.forget(claimId)
    throw error
  }
}

/** By claim; none of a claim that there is not. */
async function draftGroups(
  db: Connection,
  copies: ClaimCopies,
  groups: readonly ClaimSubmissions[],
): Promise<Map<string, ClaimDraft>> {
  const drafts = new Map<string, ClaimDraft>()
  const unknown = groups.filter((group) => {
    const draft = draftFromCopy(copies, group)
    if (draft) drafts.set(group.claimId, draft)
    return !draft
  })
  if (unknown.length > 0) await draftFromDatabase(db, unknown, drafts)
  return drafts
}

const NONE: ReadonlySet<string> = new Set()

/** A stale copy shows only where something is written, so nothing else may be decided by it. */
function draftFromCopy(copies: ClaimCopies, { claimId, requests }: ClaimSubmissions): ClaimDraft | null {
  const copy = copies.get(claimId)
  if (!copy || requests.some(({ submission }) => mayHold(copy, submission.id))) return null
  const draft = new ClaimDraft(copy, requests, NONE)
  return draft.writes ? draft : null
}

async function draftFromDatabase(
  db: Connection,
  groups: readonly ClaimSubmissions[],
  drafts: Map<string, ClaimDraft>,
): Promise<void> {
  const requestsOf = new Map(groups.map(({ claimId, requests }) => [claimId, requests]))
  await readClaimsToDecide(db, [...requestsOf.keys()], (read) => {
    const { id } = read.claim
    const requests = requestsOf.get(id) as readonly EventRequest[]
    drafts.set(id, new ClaimDraft(copyOf(read), requests, new Set(read.eventIds)))
  })
}

/** The recorded events that submissions repeat, by claim and id. */
async function readRecorded(
  db: Connection,
  drafts: ReadonlyMap<string, ClaimDraft>,
): Promise<Map<string, Map<string, LogEvent>>> {
  const names: EventName[] = []
  for (const [claimId, draft] of drafts) for (const id of draft.recordedIds) names.push({ claimId, id })
  const found = names.length === 0 ? [] : await readEvents(db, names)
  const byClaim = Map.groupBy(found, ({ claimId }) => claimId)
  return new Map(
    byClaim
      .entries()
      .map(([claimId, events]) => [claimId, new Map(events.map(({ id, event }) => [id, event]))]),
  )
}

/** When a claim's draft was written, or why it was not. */
type Written = Date | Again | Error

/**
 * Writes what there is to be written, the claims of one clock together. What became of it, by claim: what fails says
 * nothing of what was written before.
 */
async function writeDrafts(
  db: Connection,
  drafts: ReadonlyMap<string, ClaimDraft>,
): Promise<Map<string, Written>> {
  const written = new Map<string, Written>()
  const appends = [...drafts.values()].flatMap(({ append }) => append ?? [])
  let isOver = false
  for (const some of Map.groupBy(appends, ({ seen }) => seen.testClockId).values()) {
    const result = isOver ? OVERTAKEN : await write(db, some)
    isOver ||= endsTheWork(result)
    for (const { seen } of some) written.set(seen.id, writtenTo(seen.id, result))
  }
  return written
}

async function write(db: Connection, appends: readonly Append[]): Promise<Appended | Again | Error> {
  const { testClockId, userId } = (appends[0] as Append).seen
  const time: TimeSource =
    testClockId === null ? { kind: 'live' } : { kind: 'test clock', userId, id: testClockId }
  try {
    return await appendEvents(db, appends, time)
  } catch (error) {
    return fateOf(error as Error, appends.flatMap(({ events }) => events).length)
  }
}

/** What a failure means for those who were in it together. */
export function fateOf(error: Error, together: number): Again | Error {
  // One of them is what the database does not take: it must not fail its neighbours.
  if (!(error instanceof DatabaseAway)) {
    return together === 1 ? error : { again: 'refused together', cause: error }
  }
  if (!error.outcomeKnown) return { again: 'write was lost', cause: error }
  return error.isPassing ? OVERTAKEN : error
}

/** The connection is gone, or the database takes nothing now: whatever else was to be done waits for another time. */
export const endsTheWork = (result: object): boolean =>
  result instanceof DatabaseAway || ('again' in result && result.again === 'write was lost')

function writtenTo(claimId: string, result: Appended | Again | Error): Written {
  if (result instanceof Error || 'again' in result) return result
  if (result.at === null) return { again: 'clock is held' }
  return result.overtaken.has(claimId) ? OVERTAKEN : result.at
}

const AT_NO_TIME = new Date(0)

function settle(
  copies: ClaimCopies,
  draft: ClaimDraft,
  written: Written | undefined,
  recorded: ReadonlyMap<string, LogEvent>,
): Outcome[] {
  if (written && !(written instanceof Date)) {
    copies.forget(draft.copy.claim.id)
    return draft.requests.map((_, i) => (draft.isAppended(i) ? written : OVERTAKEN))
  }
  try {
    const answers = draft.answers(written ?? AT_NO_TIME, recorded)
    if (draft.updateCopy()) copies.keep(draft.copy)
    else copies.forget(draft.copy.claim.id)
    return answers.map((answer) => answer ?? OVERTAKEN)
  } catch (cause) {
    // A fault of ours, but what was written stays so: it is found by its id.
    return settle(copies, draft, { again: 'write was lost', cause }, recorded)
  }
}
