import type { CalendarTimes } from '../../calendars/calendar-times.ts'
import type { ClaimToDecide } from '../../claims/claims-to-decide.ts'
import { appendExtendedEvents } from '../../claims/write/append-extended-store.ts'
import { type Clocks, readClocks } from '../../claims/write/recording-time-store.ts'
import type { TimeMeasure } from '../../core/calendars/working-time.ts'
import { runCooperatively } from '../../platform/concurrency/cooperative.ts'
import type { Connection } from '../../platform/database/connection.ts'
import { type ClaimCache, type ClaimSnapshot, makeSnapshot } from './claim-cache.ts'
import { ExtendedDecision } from './extended-decision.ts'
import {
  endsBatch,
  LONG_LOG,
  type PendingSubmission,
  resultOfFailure,
  STALE,
  setResults,
} from './pending-submission.ts'
import { readRepeated } from './read-repeated.ts'

/*
 * Submissions to claims of extended contracts (§2.1a). A decision needs the time of recording, so the clock is read
 * first and the events are written with that time. A test clock is locked until the write is committed.
 */

export interface ExtendedContext {
  cache: ClaimCache
  calendarTimes: CalendarTimes
}

/** Submissions of one account to one claim of an extended contract. */
export interface ExtendedSubmissions {
  snapshot: ClaimSnapshot
  submissions: readonly PendingSubmission[]
  /** Ids of recorded events, at least those that the submissions name. */
  recordedIds: ReadonlySet<string>
  /** The snapshot may be stale, so a decision that writes nothing is not valid. */
  isFromCache: boolean
}

/** If the log was too long to be read, a cached snapshot of the same version replaces it. */
export function* extendedSubmissions(
  read: ClaimToDecide,
  cache: ClaimCache,
  submissions: readonly PendingSubmission[],
): Generator<void, ExtendedSubmissions> {
  const cached = read.isWhole ? undefined : cache.getVersion(read.claim)
  const snapshot = cached ?? (yield* makeSnapshot(read))
  return { snapshot, submissions, recordedIds: new Set(read.eventIds), isFromCache: false }
}

/**
 * Decides and records the submissions: the claims without a test clock together, and the claims on test clocks account
 * by account. Sets the results of the submissions, except those that it returns: their cached snapshots lead to no
 * write, so the caller must decide them from the database. Never rejects.
 */
export async function recordExtended(
  db: Connection,
  { cache, calendarTimes }: ExtendedContext,
  found: readonly ExtendedSubmissions[],
): Promise<ExtendedSubmissions[]> {
  const undecided: ExtendedSubmissions[] = []
  let hasEnded = false
  for (const [owner, some] of Map.groupBy(found, ({ snapshot }) => clockOwnerOf(snapshot))) {
    const submissions = some.flatMap((one) => one.submissions)
    if (hasEnded) {
      setResults(submissions, STALE)
      continue
    }
    try {
      const record = (connection: Connection) => recordByClock(connection, calendarTimes, some, owner)
      const decided = owner === null ? await record(db) : await db.transaction(record)
      for (const decision of decided.decisions) decision.complete(cache)
      for (const id of decided.staleIds) cache.delete(id)
      undecided.push(...decided.undecided)
    } catch (error) {
      const result = resultOfFailure(error as Error, submissions.length)
      hasEnded = endsBatch(result)
      for (const { snapshot } of some) cache.delete(snapshot.claim.id)
      setResults(submissions, result)
    }
  }
  return undecided
}

/** The account of a claim on a test clock, else null. */
const clockOwnerOf = ({ claim: { testClockId, userId } }: ClaimSnapshot) =>
  testClockId === null ? null : userId

/** The caller sets the results of `decisions` after the commit. A submission in neither list has its result already. */
interface Decisions {
  decisions: ExtendedDecision[]
  /** The cached snapshot led to no write, which may be wrong. The caller decides them from the database. */
  undecided: ExtendedSubmissions[]
  /** Ids of claims whose test clock was not found: their cached snapshots are stale. */
  staleIds: string[]
}

async function recordByClock(
  db: Connection,
  calendarTimes: CalendarTimes,
  found: readonly ExtendedSubmissions[],
  userId: string | null,
): Promise<Decisions> {
  const { clocks, subscribers } = await readClocks(
    db,
    found.map(({ snapshot }) => snapshot.claim),
    userId === null ? { kind: 'live' } : { kind: 'test clocks', userId },
  )
  const calendars: TimeMeasure[] = []
  for (const { snapshot } of found) {
    calendars.push(await calendarTimes.ofContract(db, snapshot.claim.userId, snapshot.claim.contract))
  }
  const decided = await runCooperatively(decideEach(found, calendars, clocks))
  const { decisions } = decided
  await readRepeated(db, decisions)
  const writing = decisions.filter(({ writes }) => writes)
  if (writing.length === 0) return decided
  const appends = writing.map(({ extendedAppend }) => extendedAppend)
  const written = await appendExtendedEvents(db, appends, subscribers)
  for (const decision of writing) {
    decision.written = written.has(decision.snapshot.claim.id) ? decision.at : STALE
  }
  return decided
}

function* decideEach(
  found: readonly ExtendedSubmissions[],
  calendars: readonly TimeMeasure[],
  clocks: Clocks['clocks'],
): Generator<void, Decisions> {
  const decisions: ExtendedDecision[] = []
  const undecided: ExtendedSubmissions[] = []
  const staleIds: string[] = []
  for (const [i, one] of found.entries()) {
    yield
    const { snapshot, submissions, recordedIds, isFromCache } = one
    const { userId, testClockId } = snapshot.claim
    const now = clocks.get(testClockId)
    if (!now && isFromCache) {
      // The clock is being advanced, or it was deleted with its claims, and the claim's id may be in use again.
      undecided.push(one)
      staleIds.push(snapshot.claim.id)
      continue
    }
    if (!now) {
      setResults(submissions, {
        reason: 'clock held',
        lockedClock: { userId, id: testClockId as string },
      })
      continue
    }
    const calendar = calendars[i] as TimeMeasure
    const decision = yield* ExtendedDecision.at(now, calendar, snapshot, submissions, recordedIds)
    if (isFromCache && !decision.writes) undecided.push(one)
    else if (decision.usesLog && !snapshot.isWhole) setResults(submissions, LONG_LOG)
    else decisions.push(decision)
  }
  return { decisions, undecided, staleIds }
}
