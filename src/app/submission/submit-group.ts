import type { LogEvent } from '../../domain/claims/event.ts'
import { type EventName, type FoundEvent, readEvents } from '../../storage/claims/claim-log.ts'
import { type ClaimToDecide, readClaimsToDecide } from '../../storage/claims/claims-to-decide.ts'
import type { Connection } from '../../storage/database/database.ts'
import { inSlices } from '../in-slices.ts'
import { claimNotFound } from '../not-found.ts'
import { type ClaimCopies, type ClaimCopy, copyOf, mayHold } from './claim-copies.ts'
import { AT_NO_TIME, ClaimDraft, type RecordedEvents } from './claim-draft.ts'
import { type Again, LOG_IS_LONG, type Outcome, OVERTAKEN } from './submission-outcome.ts'
import type { EventRequest } from './submit-event.ts'
import { type Attempt, writeDrafts } from './write-drafts.ts'

/** Submissions of one account to one claim, in their order. */
export interface ClaimSubmissions {
  claimId: string
  requests: readonly EventRequest[]
  /** What there is to read of the claim, where a group of many has found it heavy. */
  heavyBytes?: number
}

/** With what was made of them; or why nothing was: there is no such claim, or all of it has to be read first. */
interface Draft {
  readonly group: ClaimSubmissions
  attempt: Attempt | Again | 'no claim'
}

/**
 * Bytes of contracts and of a quarter of logs that a group reads. Parsed and made ready, where nothing is kept of them,
 * they take 50 ms of a slow machine.
 */
const READ_BYTES = 512 * 1024

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
    const attempts = drafts.flatMap(({ attempt }) => (isMade(attempt) ? attempt : []))
    const recorded = await readRecorded(db, attempts)
    await writeDrafts(db, attempts)
    return drafts.map(({ group, attempt }) => {
      if (attempt === 'no claim') return group.requests.map(({ address }) => claimNotFound(address))
      if (!isMade(attempt)) return group.requests.map(() => attempt)
      return settle(copies, attempt, recorded.get(group.claimId) ?? NONE_RECORDED)
    })
  } catch (error) {
    // Drafts change the copies that they are made by.
    for (const { claimId } of groups) copies.forget(claimId)
    throw error
  }
}

const isMade = (attempt: Draft['attempt']): attempt is Attempt => attempt !== 'no claim' && 'draft' in attempt

const NONE: ReadonlySet<string> = new Set()
const NONE_RECORDED: RecordedEvents = new Map()

async function draftGroups(
  db: Connection,
  copies: ClaimCopies,
  groups: readonly ClaimSubmissions[],
): Promise<Draft[]> {
  const drafts: Draft[] = groups.map((group) => ({ group, attempt: 'no claim' }))
  await draftFromCopies(copies, drafts)
  const unknown = drafts.filter(({ attempt }) => attempt === 'no claim')
  if (unknown.length > 0) await draftFromDatabase(db, copies, unknown)
  return drafts
}

async function draftFromCopies(copies: ClaimCopies, drafts: readonly Draft[]): Promise<void> {
  const large: [Draft, ClaimCopy][] = []
  for (const one of drafts) {
    const { claimId, requests } = one.group
    const copy = copies.get(claimId)
    if (!copy || requests.some(({ submission }) => mayHold(copy, submission.id))) continue
    const draft = ClaimDraft.atOnce(copy, requests, NONE)
    if (draft) use(draft, one)
    else large.push([one, copy])
  }
  if (large.length > 0) await inSlices(draftLarge(large))
}

function* draftLarge(large: readonly [Draft, ClaimCopy][]): Generator<void, void> {
  for (const [one, copy] of large) use(yield* ClaimDraft.of(copy, one.group.requests, NONE), one)
}

/** A stale copy shows only where something is written, so nothing else may be decided by it. */
function use(draft: ClaimDraft, one: Draft): void {
  if (draft.writes) one.attempt = { draft }
}

async function draftFromDatabase(
  db: Connection,
  copies: ClaimCopies,
  drafts: readonly Draft[],
): Promise<void> {
  const draftsOf = Map.groupBy(drafts, ({ group }) => group.claimId)
  const named = drafts.flatMap(({ group }) => group.requests.map(({ submission }) => submission.id))
  const heavyBytes = Math.max(...drafts.map(({ group }) => group.heavyBytes ?? 0))
  const { claims, heavy } = await readClaimsToDecide(db, [...draftsOf.keys()], named, READ_BYTES, heavyBytes)
  for (const [id, bytes] of heavy)
    for (const draft of draftsOf.get(id) ?? []) draft.attempt = { again: 'is heavy', bytes }
  await inSlices(draftEach(claims, copies, draftsOf))
}

/** A step for each contract, log and submission: they may be long. */
function* draftEach(
  found: Iterable<ClaimToDecide>,
  copies: ClaimCopies,
  draftsOf: ReadonlyMap<string, readonly Draft[]>,
): Generator<void, void> {
  for (const read of found) {
    yield
    for (const draft of draftsOf.get(read.claim.id) ?? [])
      draft.attempt = yield* draftFrom(read, copies, draft.group)
  }
}

/** Of a claim whose log was not read all can be decided that appends nothing, and by a copy of this version the rest. */
function* draftFrom(
  read: ClaimToDecide,
  copies: ClaimCopies,
  { requests }: ClaimSubmissions,
): Generator<void, Attempt | Again> {
  const recorded = new Set(read.eventIds)
  const own = copyOf(read)
  yield
  const draft = yield* ClaimDraft.of(own, requests, recorded)
  if (read.isWhole || !draft.writes) return { draft }
  const copy = copies.get(read.claim.id)
  if (copy?.claim.eventCount !== read.claim.eventCount) return LOG_IS_LONG
  return { draft: yield* ClaimDraft.of(copy, requests, recorded) }
}

/** The recorded events that submissions repeat, by claim and id. The repeats are compared with them. */
async function readRecorded(
  db: Connection,
  attempts: readonly Attempt[],
): Promise<Map<string, RecordedEvents>> {
  const repeating = attempts.filter(({ draft }) => draft.hasRepeats)
  if (repeating.length === 0) return new Map()
  const names: EventName[] = []
  for (const { draft } of repeating) {
    const claimId = draft.copy.claim.id
    for (const { id, payloadBytes } of draft.repeats) names.push({ claimId, id, payloadBytes })
  }
  const found = names.length === 0 ? [] : await readEvents(db, names)
  const byClaim = Map.groupBy(found, ({ claimId }) => claimId)
  const recorded = new Map(byClaim.entries().map(([claimId, events]) => [claimId, recordedById(events)]))
  await inSlices(judgeEach(repeating, recorded))
  return recorded
}

function* judgeEach(
  repeating: readonly Attempt[],
  recorded: ReadonlyMap<string, RecordedEvents>,
): Generator<void, void> {
  for (const { draft } of repeating)
    yield* draft.judgeRepeats(recorded.get(draft.copy.claim.id) ?? NONE_RECORDED)
}

function recordedById(events: readonly FoundEvent[]): RecordedEvents {
  const found = new Map<string, LogEvent | null>()
  // Of an id that was sent twice with different content, one at most is the same.
  for (const { id, event } of events) if (event || !found.has(id)) found.set(id, event)
  return found
}

function settle(copies: ClaimCopies, { draft, written }: Attempt, recorded: RecordedEvents): Outcome[] {
  const { id } = draft.copy.claim
  if (written && !(written instanceof Date)) {
    copies.forget(id)
    return draft.requests.map((_, i) => (draft.isAppended(i) ? written : OVERTAKEN))
  }
  try {
    const answers = draft.answers(written ?? AT_NO_TIME, recorded)
    if (!draft.updateCopy(written)) copies.forget(id)
    else if (written) copies.keep(draft.copy)
    else copies.keepIfNewer(draft.copy)
    return answers.map((answer) => answer ?? OVERTAKEN)
  } catch (cause) {
    // A fault of ours, but what was written stays so: it is found by its id.
    return settle(copies, { draft, written: { again: 'write was lost', cause } }, recorded)
  }
}
