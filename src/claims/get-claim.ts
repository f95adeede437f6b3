import type { App } from '../app.ts'
import type { WorkingTime } from '../core/calendars/working-time.ts'
import { type WorkingTimeUsed, workingTimeUsed } from '../core/calendars/working-time-used.ts'
import type { Claim, ClaimAddress, StoredClaim } from '../core/claims/claim.ts'
import { type Contract, decisiveEventTypes, isExtended, windowMs } from '../core/contracts/contract.ts'
import {
  type ExplainedClock,
  type ExplainedCondition,
  type ExplainedReview,
  type ExplainedTransition,
  Explanation,
  type Turn,
  type WorkingWindow,
} from '../core/contracts/explain.ts'
import type { LogHint } from '../core/contracts/hints/log-hints.ts'
import { claimNotFound } from '../core/record-errors.ts'
import { runCooperatively } from '../platform/concurrency/cooperative.ts'
import type { Connection } from '../platform/database/connection.ts'
import { loadLazyColumns } from '../platform/database/lists/lazy-columns.ts'
import { absenceError } from './archived/absent-claim.ts'
import {
  type LateEvents,
  type LoggedEvidence,
  type LogItem,
  readClaimAndLog,
  readDecisiveEvents,
  readLateEvents,
  readLogEnd,
  readLogPage,
  readOtherTypes,
  readPayloads,
  readTurns,
} from './claim-log-store.ts'
import { findClaim } from './claim-store.ts'
import { LONG_PAYLOADS_BATCH_SIZE } from './limits.ts'

/** An event of a log, with its payload as JSON text. */
export type LoggedEvent = LogItem & { payload: string }

/**
 * A claim or a candidate with its whole event log (§4.1, §4.2). Concurrent requests for short claims share a read. A
 * log may have 64 MiB, so a long log is read page by page as the caller consumes it. The log is the one of the
 * claim's version: items are only appended, and the claim knows their number.
 */
export async function getClaim(
  app: App,
  userId: string,
  address: ClaimAddress,
): Promise<{ claim: StoredClaim; log: AsyncGenerator<LoggedEvent[]> }> {
  const short = await app.shortClaims.submit(userId, { userId, address })
  const found = short === 'long' ? await readClaimAndLog(app.db.reads.for(userId), userId, address) : short
  if (!found) throw await absenceError(app.db.reads.for(userId), { userId, address })
  const { claim, items } = found
  return { claim, log: readLog(app, claim, items, () => claimNotFound(address)) }
}

async function* readLog(
  app: App,
  { id, userId, eventCount }: StoredClaim,
  first: LogItem[],
  onMissing: () => Error,
): AsyncGenerator<LoggedEvent[]> {
  const db = app.db.reads.for(userId)
  let items = first
  for (let read = 0; read < eventCount; read += items.length) {
    if (read > 0) items = await readLogPage(db, id, read)
    // The claim was deleted with its clock, or archived, in the meantime. An error must prevent that its log looks
    // shorter.
    if (items.length === 0) throw onMissing()
    yield* loadLazyColumns(items.slice(0, eventCount - read), {
      columns: ['payload'],
      batchSize: LONG_PAYLOADS_BATCH_SIZE,
      read: (some) =>
        readPayloads(
          db,
          id,
          some.map(({ seq }) => seq),
        ),
      key: ({ seq }) => seq,
      onMissing,
    })
  }
}

export interface ClaimExplanation {
  claim: Claim
  condition: ExplainedCondition
  /** So far, in order. */
  transitions: ExplainedTransition[]
  review: ExplainedReview | null
  clock: (ExplainedClock & { timeZone: string | null; workingTime: ExplainedWorkingTime[] }) | null
  late: LateEvents
  hints: LogHint[]
}

/** What the calendar counted and skipped in a window to which it applies. */
interface ExplainedWorkingTime extends WorkingTimeUsed {
  window: WorkingWindow['window']
  from: Date
  to: Date
}

/** Why the claim or candidate stands as it does. @throws CLAIM_NOT_FOUND, CANDIDATE_NOT_FOUND, CLAIM_ARCHIVED */
export async function explainClaim(
  app: App,
  userId: string,
  address: ClaimAddress,
): Promise<ClaimExplanation> {
  const db = app.db.reads.for(userId)
  const claim = await findClaim(db, userId, address)
  if (!claim) throw await absenceError(db, { userId, address })
  const turns = isExtended(claim.contract) ? await readTurns(db, claim) : null
  const named = claim.contract.clock?.calendar
  const calendar = named ? await app.calendarTimes.ofCalendar(db, userId, named) : null
  const explanation = new Explanation(claim, turns ?? [], calendar ?? undefined)
  const types = decisiveEventTypes(claim.contract)
  let shown = 0
  for await (const page of readDecisiveEvents(db, claim, types)) {
    await runCooperatively(showEach(explanation, claim.contract, page))
    shown += page.length
  }
  const end = await readLogEnd(db, claim)
  // The claim was deleted with its test clock, or archived, in the meantime.
  if (claim.eventCount > 0 && end.length === 0) throw await absenceError(db, { userId, address })
  if (shown < claim.eventCount) {
    for (const { type, ids } of await readOtherTypes(db, claim, types)) explanation.addType(type, ids)
  }
  const { condition, review, hints } = explanation
  const clock = explanation.clock && {
    ...explanation.clock,
    timeZone: calendar?.hours.time_zone ?? null,
    workingTime: calendar ? await explainWorkingTime(calendar, explanation.workingWindows) : [],
  }
  const transitions = explanation.transitions(turns ?? end)
  const late = await findLateEvents(db, claim, end)
  return { claim, condition, transitions, review, clock, late, hints }
}

async function explainWorkingTime(
  calendar: WorkingTime,
  windows: readonly WorkingWindow[],
): Promise<ExplainedWorkingTime[]> {
  const explained: ExplainedWorkingTime[] = []
  for (const { window, periods } of windows) {
    const [from, to] = [periods[0]?.startMs as number, periods.at(-1)?.endMs as number]
    const used = await runCooperatively(workingTimeUsed(calendar, periods))
    explained.push({ window, from: new Date(from), to: new Date(to), ...used })
  }
  return explained
}

/** The times of a log never decrease: if the last event was in time, all events before it were. */
async function findLateEvents(db: Connection, claim: Claim, end: readonly Turn[]): Promise<LateEvents> {
  const { contract, createdAt, eventCount } = claim
  if (eventCount === 0) return { events: [], count: 0 }
  if (isExtended(contract)) return readLateEvents(db, claim, null)
  const dueAt = new Date(createdAt.getTime() + windowMs(contract.activity_window))
  const last = end.findLast(({ system }) => !system)
  return last && last.createdAt < dueAt ? { events: [], count: 0 } : readLateEvents(db, claim, dueAt)
}

function* showEach(
  explanation: Explanation,
  { strict_deadline: isStrict = false }: Contract,
  events: readonly LoggedEvidence[],
): Generator<void, void> {
  for (const event of events) {
    if (!isStrict || event.lateMs === null) explanation.add(event)
    yield
  }
}
