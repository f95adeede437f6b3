import { whyAllAbsent } from '../../claims/archived/absent-claim.ts'
import { type EventName, type FoundEvent, readEvents } from '../../claims/claim-log-store.ts'
import { type ClaimToDecide, readClaimsToDecide } from '../../claims/claims-to-decide.ts'
import {
  type Append,
  type Appended,
  appendEvents,
  type TimeSource,
} from '../../claims/write/append-events-store.ts'
import { contractIsMissing } from '../../contracts/contract-store.ts'
import type { LogEvent } from '../../core/claims/event.ts'
import { runCooperatively } from '../../platform/concurrency/cooperative.ts'
import type { Connection } from '../../platform/database/connection.ts'
import { type ClaimCopies, type ClaimCopy, copyOf, mayHold } from './claim-copies.ts'
import { AT_NO_TIME, ClaimDraft, type RecordedEvents } from './claim-draft.ts'
import { type PendingSubmission, type SubmissionResult, setResults } from './pending-submission.ts'
import { PARSED_BYTES, READ_BYTES } from './submission-lines.ts'
import {
  endsTheWork,
  isRetry,
  LOG_IS_LONG,
  OVERTAKEN,
  type Retry,
  resultOfFailure,
} from './submission-retry.ts'

/** Submissions of one account to one claim, in their order. */
export interface ClaimSubmissions {
  readonly claimId: string
  readonly submissions: readonly PendingSubmission[]
}

/**
 * Decides and records submissions to several claims, with one statement for all of their writes (claims on test
 * clocks need one more an account). The claims without a copy are read before. Each submission is given its result,
 * which tells what was written of it. Each claim may be in it once for each account that submits to it.
 * @throws if nothing was written
 */
export async function recordGroup(
  db: Connection,
  copies: ClaimCopies,
  group: readonly ClaimSubmissions[],
): Promise<void> {
  try {
    const drafts = await draftGroup(db, copies, group)
    await readRepeated(db, drafts)
    await writeDrafts(db, drafts)
    for (const draft of drafts) settle(copies, draft)
  } catch (error) {
    // It may be a copy that is at fault.
    for (const { claimId } of group) copies.forget(claimId)
    throw error
  }
}

const NONE: ReadonlySet<string> = new Set()

/** Those of which no draft can be made have a result. */
async function draftGroup(
  db: Connection,
  copies: ClaimCopies,
  group: readonly ClaimSubmissions[],
): Promise<ClaimDraft[]> {
  const drafts: ClaimDraft[] = []
  const unknown: ClaimSubmissions[] = []
  // A stale copy shows only if something is written, so nothing else may be decided by it.
  const use = (one: ClaimSubmissions, draft: ClaimDraft | null) => {
    if (draft?.writes) drafts.push(draft)
    else unknown.push(one)
  }
  const slow: [ClaimSubmissions, ClaimCopy][] = []
  for (const one of group) {
    const copy = copyFor(copies, one)
    if (copy && !ClaimDraft.isQuick(one.submissions)) slow.push([one, copy])
    else use(one, copy && ClaimDraft.atOnce(copy, one.submissions, NONE))
  }
  if (slow.length > 0) await runCooperatively(draftSlow(slow, use))
  if (unknown.length > 0) drafts.push(...(await draftFromDatabase(db, copies, unknown)))
  return drafts
}

/** Null if it cannot tell: what may be a repeat has to be looked up. */
function copyFor(copies: ClaimCopies, { claimId, submissions }: ClaimSubmissions): ClaimCopy | null {
  const copy = copies.get(claimId)
  return copy && !submissions.some(({ request }) => mayHold(copy, request.submission.id)) ? copy : null
}

function* draftSlow(
  slow: readonly [ClaimSubmissions, ClaimCopy][],
  use: (one: ClaimSubmissions, draft: ClaimDraft) => void,
): Generator<void, void> {
  for (const [one, copy] of slow) use(one, yield* ClaimDraft.of(copy, one.submissions, NONE))
}

async function draftFromDatabase(
  db: Connection,
  copies: ClaimCopies,
  group: readonly ClaimSubmissions[],
): Promise<ClaimDraft[]> {
  const byClaim = Map.groupBy(group, ({ claimId }) => claimId)
  const named = new Map(byClaim.entries().map(([id, ones]) => [id, ones.flatMap(idsOf)]))
  const { claims, heavy, inDoubt } = await readClaimsToDecide(db, named, READ_BYTES, PARSED_BYTES)
  const setAll = (id: string, result: SubmissionResult) => {
    for (const { submissions } of byClaim.get(id) ?? []) setResults(submissions, result)
    byClaim.delete(id)
  }
  for (const [id, bytes] of heavy) setAll(id, { because: 'is heavy', bytes })
  for (const id of inDoubt) setAll(id, contractIsMissing())
  const drafts = await runCooperatively(draftEach(claims, copies, byClaim))
  await refuseAbsent(
    db,
    [...byClaim.values()].flat().flatMap(({ submissions }) => submissions),
  )
  return drafts
}

/** Submissions to claims that are not there. */
async function refuseAbsent(db: Connection, submissions: readonly PendingSubmission[]): Promise<void> {
  if (submissions.length === 0) return
  const whyAbsent = await whyAllAbsent(
    db,
    submissions.map(({ request }) => request.address),
  )
  for (const one of submissions) one.result = whyAbsent(one.request)
}

const idsOf = ({ submissions }: ClaimSubmissions) => submissions.map(({ request }) => request.submission.id)

/** A step for each contract, log and submission: they may be long. Takes the claims that are found out of the map. */
function* draftEach(
  found: Iterable<ClaimToDecide>,
  copies: ClaimCopies,
  byClaim: Map<string, readonly ClaimSubmissions[]>,
): Generator<void, ClaimDraft[]> {
  const drafts: ClaimDraft[] = []
  for (const read of found) {
    yield
    for (const { submissions } of byClaim.get(read.claim.id) ?? []) {
      const draft = yield* draftFrom(read, copies, submissions)
      if (draft) drafts.push(draft)
      else setResults(submissions, LOG_IS_LONG)
    }
    byClaim.delete(read.claim.id)
  }
  return drafts
}

/**
 * Of a claim whose log was not read all can be decided that appends nothing, and by a copy of this version the rest.
 * Null if there is none.
 */
function* draftFrom(
  read: ClaimToDecide,
  copies: ClaimCopies,
  submissions: readonly PendingSubmission[],
): Generator<void, ClaimDraft | null> {
  const recorded = new Set(read.eventIds)
  const own = copyOf(read)
  yield
  const draft = yield* ClaimDraft.of(own, submissions, recorded)
  if (read.isWhole || !draft.writes) return draft
  const copy = copies.get(read.claim.id)
  const isSame = copy?.claim.eventCount === read.claim.eventCount
  return isSame ? yield* ClaimDraft.of(copy, submissions, recorded) : null
}

/** Reads the recorded events that submissions repeat, and compares. */
async function readRepeated(db: Connection, drafts: readonly ClaimDraft[]): Promise<void> {
  const repeating = drafts.filter(({ hasRepeats }) => hasRepeats)
  if (repeating.length === 0) return
  const names: EventName[] = []
  for (const { copy, repeats } of repeating) {
    const claimId = copy.claim.id
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
  repeating: readonly ClaimDraft[],
  found: ReadonlyMap<string, readonly FoundEvent[]>,
): Generator<void, void> {
  for (const draft of repeating) yield* draft.compare(recordedById(found.get(draft.copy.claim.id) ?? []))
}

function recordedById(events: readonly FoundEvent[]): RecordedEvents {
  const found = new Map<string, LogEvent | null>()
  // Of an id that was sent twice with different content, one at most is the same.
  for (const { id, event } of events) if (event || !found.has(id)) found.set(id, event)
  return found
}

/** Gives each its result, and keeps of the copy what is true. */
function settle(copies: ClaimCopies, draft: ClaimDraft): void {
  const { id } = draft.copy.claim
  const { written } = draft
  if (written !== null && !(written instanceof Date)) {
    draft.fail(written)
    // Others may have written, or this did.
    copies.forget(id)
    return
  }
  try {
    draft.conclude(written ?? AT_NO_TIME)
    if (!draft.updateCopy(written)) copies.forget(id)
    else if (written) copies.keep(draft.copy)
    else copies.keepIfNewer(draft.copy)
  } catch (cause) {
    // A fault of ours, but what was written stays so: it is found by its id.
    draft.fail({ because: 'write was lost', cause })
    copies.forget(id)
  }
}

/**
 * Writes what there is to be written: all live claims together, and the claims on test clocks account by account. What
 * fails says nothing of what was written before. It never rejects, and each draft knows what became of it.
 */
async function writeDrafts(db: Connection, drafts: readonly ClaimDraft[]): Promise<void> {
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
