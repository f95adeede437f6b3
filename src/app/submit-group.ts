import type { LogEvent } from '../domain/event.ts'
import { type Append, type Appended, appendEvents, type TimeSource } from '../storage/append-events.ts'
import { type EventName, readEvents } from '../storage/claim-log.ts'
import { type ClaimToDecide, readClaimsToDecide } from '../storage/claims-to-decide.ts'
import type { Connection } from '../storage/database.ts'
import { DatabaseAway } from '../storage/database-away.ts'
import type { ClockName } from '../storage/test-clocks.ts'
import { type ClaimCopies, copyOf, mayHold } from './claim-copies.ts'
import { ClaimDraft } from './claim-draft.ts'
import { claimNotFound } from './not-found.ts'
import type { EventRequest, SubmittedEvent } from './submit-event.ts'

/** Submissions of one account to one claim, in their order. */
export interface ClaimSubmissions {
  claimId: string
  requests: readonly EventRequest[]
}

/**
 * What became of a submission. `again`: nothing is decided yet, since somebody else was faster (§3 rule 3), the
 * claim's test clock is being advanced, the write was lost on its way and may have taken effect, or the database
 * refused what was written together with it; or its claim has a long log, of which a copy has to be made first.
 */
export type Outcome = SubmittedEvent | Error | Again
export interface Again {
  again: 'overtaken' | 'clock is held' | 'log is long' | 'write was lost' | 'refused together'
  cause?: unknown
  /** To be waited for. */
  heldClock?: ClockName
}
export const OVERTAKEN: Again = { again: 'overtaken' }

/**
 * Decides and records submissions to several claims, with one statement for all of their writes (claims on test
 * clocks need one more an account). The claims without a copy are read before. Outcomes are in the order of the
 * requests, and tell of each what was written. Each claim may be in it once for each account that submits to it.
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
    return groups.map((group) => {
      const draft = drafts.get(group)
      if (draft === 'log is long') return group.requests.map(() => ({ again: 'log is long' }))
      if (!draft) return group.requests.map(({ address }) => claimNotFound(address))
      return settle(copies, draft, written, recorded.get(group.claimId) ?? new Map())
    })
  } catch (error) {
    // Drafts change the copies that they are made by.
    for (const { claimId } of groups) copies.forget(claimId)
    throw error
  }
}

/** None where there is no such claim. */
type Drafts = Map<ClaimSubmissions, ClaimDraft | 'log is long'>

const draftsIn = (drafts: Drafts) => drafts.values().filter((draft) => draft !== 'log is long')

async function draftGroups(
  db: Connection,
  copies: ClaimCopies,
  groups: readonly ClaimSubmissions[],
): Promise<Drafts> {
  const drafts: Drafts = new Map()
  const unknown = groups.filter((group) => {
    const draft = draftFromCopy(copies, group)
    if (draft) drafts.set(group, draft)
    return !draft
  })
  if (unknown.length > 0) await draftFromDatabase(db, copies, unknown, drafts)
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
  copies: ClaimCopies,
  groups: readonly ClaimSubmissions[],
  drafts: Drafts,
): Promise<void> {
  const groupsOf = Map.groupBy(groups, ({ claimId }) => claimId)
  const named = groups.flatMap(({ requests }) => requests.map(({ submission }) => submission.id))
  for (const read of await readClaimsToDecide(db, [...groupsOf.keys()], named)) {
    for (const group of groupsOf.get(read.claim.id) ?? []) drafts.set(group, draftFrom(read, copies, group))
  }
}

/** Of a claim whose log was not read all can be decided that appends nothing, and by a copy of this version the rest. */
function draftFrom(
  read: ClaimToDecide,
  copies: ClaimCopies,
  { requests }: ClaimSubmissions,
): ClaimDraft | 'log is long' {
  const recorded = new Set(read.eventIds)
  const draft = new ClaimDraft(copyOf(read), requests, recorded)
  if (read.isWhole || !draft.writes) return draft
  const copy = copies.get(read.claim.id)
  return copy?.claim.eventCount === read.claim.eventCount
    ? new ClaimDraft(copy, requests, recorded)
    : 'log is long'
}

/** The recorded events that submissions repeat, by claim and id. */
async function readRecorded(db: Connection, drafts: Drafts): Promise<Map<string, Map<string, LogEvent>>> {
  const names: EventName[] = []
  for (const { copy, recordedIds } of draftsIn(drafts)) {
    for (const id of recordedIds) names.push({ claimId: copy.claim.id, id })
  }
  const found = names.length === 0 ? [] : await readEvents(db, names)
  const byClaim = Map.groupBy(found, ({ claimId }) => claimId)
  return new Map(
    byClaim
      .entries()
      .map(([claimId, events]) => [claimId, new Map(events.map(({ id, event }) => [id, event]))]),
  )
}

/** When a draft was written, or why it was not. */
type Written = Date | Again | Error

/**
 * Writes what there is to be written: all live claims together, and the claims on test clocks account by account. What
 * fails says nothing of what was written before.
 */
async function writeDrafts(db: Connection, drafts: Drafts): Promise<Map<ClaimDraft, Written>> {
  const written = new Map<ClaimDraft, Written>()
  const writing = draftsIn(drafts).filter(({ writes }) => writes)
  let isOver = false
  for (const some of Map.groupBy(writing, ({ home }) => home).values()) {
    const result = isOver ? OVERTAKEN : await write(db, some)
    isOver ||= endsTheWork(result)
    for (const draft of some) written.set(draft, writtenTo(draft, result))
  }
  return written
}

async function write(db: Connection, drafts: readonly ClaimDraft[]): Promise<Appended | Again | Error> {
  const appends = drafts.flatMap(({ append }) => append ?? [])
  const { testClockId, userId } = (appends[0] as Append).seen
  const time: TimeSource = testClockId === null ? { kind: 'live' } : { kind: 'test clocks', userId }
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

function writtenTo({ copy: { claim } }: ClaimDraft, result: Appended | Again | Error): Written {
  if (result instanceof Error || 'again' in result) return result
  const { id, userId, testClockId } = claim
  const now = result.clocks.get(testClockId)
  if (now) return result.overtaken.has(id) ? OVERTAKEN : (result.later.get(id) ?? now)
  return { again: 'clock is held', heldClock: { userId, id: testClockId as string } }
}

const AT_NO_TIME = new Date(0)

function settle(
  copies: ClaimCopies,
  draft: ClaimDraft,
  allWritten: ReadonlyMap<ClaimDraft, Written>,
  recorded: ReadonlyMap<string, LogEvent>,
): Outcome[] {
  const written = allWritten.get(draft)
  if (written && !(written instanceof Date)) {
    copies.forget(draft.copy.claim.id)
    return draft.requests.map((_, i) => (draft.isAppended(i) ? written : OVERTAKEN))
  }
  try {
    const answers = draft.answers(written ?? AT_NO_TIME, recorded)
    if (draft.updateCopy(written)) copies.keep(draft.copy)
    else copies.forget(draft.copy.claim.id)
    return answers.map((answer) => answer ?? OVERTAKEN)
  } catch (cause) {
    // A fault of ours, but what was written stays so: it is found by its id.
    return settle(copies, draft, new Map([[draft, { again: 'write was lost', cause }]]), recorded)
  }
}
