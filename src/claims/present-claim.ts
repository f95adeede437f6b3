import type { Static } from 'typebox'
import type { Claim, ClaimWithMetadata, StoredClaim, WithContract } from '../core/claims/claim.ts'
import { lateMsOf } from '../core/claims/decide-at.ts'
import type { LogEvent } from '../core/claims/event.ts'
import { isPaused } from '../core/claims/lifecycle.ts'
import type { ExplainedReview } from '../core/contracts/explain.ts'
import { RawJson } from '../kernel/json.ts'
import type { Metadata } from '../kernel/metadata.ts'
import { JsonText } from '../platform/http/responses/json-stream.ts'
import { presentEach } from '../platform/http/responses/lists.ts'
import { versionOfMetadata } from './change-metadata.ts'
import type { CandidateSummaryBody, ClaimSummaryBody } from './claim-bodies.ts'
import type { ClaimPage } from './claim-page.ts'
import type { ClaimExplanation, LoggedEvent } from './get-claim.ts'

/** With contract and metadata as values or as JSON text. */
type Presentable<Form> = WithContract<Claim, Form> & { metadata?: Metadata | JsonText }

type OfClaim<Form> = WithContract<Static<typeof ClaimSummaryBody>, Form>
type OfCandidate<Form> = WithContract<Static<typeof CandidateSummaryBody>, Form>

export const presentClaim = <Form = Claim['contract']>(claim: Presentable<Form>) =>
  fieldsOf(claim) as OfClaim<Form>

export const presentCandidate = <Form = Claim['contract']>(claim: Presentable<Form>) =>
  fieldsOf(claim) as OfCandidate<Form>

/** A claim or a candidate. */
export const presentEither = <Form = Claim['contract']>(claim: Presentable<Form>) =>
  fieldsOf(claim) as OfClaim<Form> | OfCandidate<Form>

/**
 * The fields of both kinds: JSON omits undefined ones. An object that is merged from two would take three times the
 * memory, and responses contain tens of thousands of claims a second.
 */
function fieldsOf<Form>(claim: Presentable<Form>) {
  const isClaim = claim.candidateAlias === null
  return {
    id: isClaim ? claim.id : undefined,
    reference: isClaim ? claim.reference : undefined,
    user_id: isClaim ? claim.userId : undefined,
    customer_id: isClaim ? claim.customerId : undefined,
    candidate_alias: isClaim ? undefined : claim.candidateAlias,
    customer_uuid: isClaim ? undefined : claim.customerExternalId,
    contract: claim.contract,
    status: claim.status,
    status_since: claim.statusSince.toISOString(),
    scheduled_outcome: claim.scheduledOutcome,
    due_at: claim.dueAt?.toISOString() ?? null,
    paused_since: claim.clock ? pausedSince(claim) : undefined,
    remaining: claim.clock ? remainingOf(claim) : undefined,
    reminders: claim.reminders as number[] | undefined,
    schema_id: claim.schemaId,
    schema_version: claim.schemaVersion,
    test_clock_id: claim.testClockId,
    created_at: claim.createdAt.toISOString(),
    // The response to a submission has no metadata.
    metadata: claim.metadata as Metadata | undefined,
  }
}

/** The clock fields of a claim whose clock can stop. */
export const presentClock = (claim: Pick<Claim, 'status' | 'dueAt' | 'clock'>) =>
  claim.clock ? { paused_since: pausedSince(claim), remaining: remainingOf(claim) } : {}

/** Null while the clock runs (§2.1a). */
const pausedSince = (claim: Pick<Claim, 'status' | 'dueAt' | 'clock'>): string | null =>
  claim.clock && isPaused(claim) ? claim.clock.since.toISOString() : null

/** Seconds of the activity window that are left; null while the clock runs. */
const remainingOf = (claim: Pick<Claim, 'status' | 'dueAt' | 'clock'>): number | null =>
  claim.clock && isPaused(claim) ? claim.clock.remainingMs / 1_000 : null

/** A claim after a change, with contract and metadata as stored text. */
export const presentStored = (claim: StoredClaim) =>
  presentEither({ ...claim, contract: JSON.parse(claim.contract), metadata: JSON.parse(claim.metadata) })

/**
 * The ETag of a claim: the version of its metadata, a dot, and the number of its events. Every other change appends
 * an event.
 */
export function tagOf({ testClockId, metadata, eventCount }: StoredClaim | ClaimWithMetadata): string {
  const noted: Metadata = typeof metadata === 'string' ? JSON.parse(metadata) : metadata
  return `${versionOfMetadata({ testClockId, metadata: noted })}.${eventCount}`
}

/** A page of a list. Long columns are loaded while the response is sent. */
export const presentClaimPage = (
  { claims, nextCursor, total }: ClaimPage,
  present: (claim: Presentable<JsonText>) => object,
) => ({
  data: presentEach(claims, (claim) => JsonText.ofObject(present(withStoredJson(claim)))),
  next_cursor: nextCursor,
  ...(total ? { total: { count: total.count, is_exact: total.isExact } } : {}),
})

/** Contract and metadata are copied into the response as the stored JSON text. */
export const withStoredJson = (claim: StoredClaim): Presentable<JsonText> => ({
  ...claim,
  contract: new JsonText(claim.contract),
  metadata: new JsonText(claim.metadata),
})

export function presentExplanation(explanation: ClaimExplanation) {
  const { claim, condition, transitions, review, clock, late, hints } = explanation
  return {
    status: claim.status,
    scheduled_outcome: claim.scheduledOutcome,
    condition,
    transitions: transitions.map((transition) => ({
      ...transition,
      because: presentBecause(transition.because),
    })),
    ...(review ? { review: presentReview(review) } : {}),
    ...(clock ? { clock: presentExplainedClock(claim, clock) } : {}),
    ...(late.count > 0
      ? {
          late_events: late.events.map(({ id, lateMs }) => ({ event_id: id, late_by: lateMs / 1000 })),
          late_event_count: late.count,
        }
      : {}),
    hints,
  }
}

const presentExplainedClock = (
  { contract }: Claim,
  {
    timeZone,
    workingTime,
    periods,
    periodCount,
    pausedSince,
    remainingMs,
  }: NonNullable<ClaimExplanation['clock']>,
) => ({
  calendar: contract.clock?.calendar ?? null,
  time_zone: timeZone,
  time_zone_data: timeZone && (process.versions.tz ?? 'unknown'),
  periods: periods.map(({ from, resumedBy, to, pausedBy, countedMs }) => ({
    from,
    resumed_by: resumedBy,
    to,
    paused_by: pausedBy,
    counted: countedMs === null ? null : countedMs / 1_000,
  })),
  period_count: periodCount,
  working_time: workingTime.map(({ window, from, to, ...used }) => ({
    window,
    from,
    to,
    span_count: used.spanCount,
    holidays: used.holidays,
    holiday_count: used.holidayCount,
    exceptions: used.exceptions,
    exception_count: used.exceptionCount,
  })),
  paused_since: pausedSince,
  remaining: remainingMs === null ? null : remainingMs / 1_000,
})

const presentReview = (review: ExplainedReview) => ({
  ...(review.reversalCondition ? { reversal_condition: review.reversalCondition } : {}),
  reversed_by: review.reversedBy && { event_id: review.reversedBy.eventId, at: review.reversedBy.at },
  restarts: review.restarts.map(({ eventId, at, dueAt }) => ({ event_id: eventId, at, due_at: dueAt })),
  restart_count: review.restartCount,
  due_at: review.dueAt,
  latest_due_at: review.latestDueAt,
})

export function presentBecause(because: { eventId?: string; windowElapsed?: string }) {
  const { eventId, windowElapsed } = because
  return {
    ...(windowElapsed === undefined ? {} : { window_elapsed: windowElapsed }),
    ...(eventId === undefined ? {} : { event_id: eventId }),
  }
}

/*
 * Presents records of the domain as response bodies. A Date becomes ISO 8601 in UTC with milliseconds. Frequent
 * bodies convert it here: JSON.stringify is several times slower for objects with a Date.
 */

/** A newly submitted event. */
export function presentRecorded({ payload, ...event }: LogEvent) {
  if (payload instanceof RawJson) return presentLogged({ ...event, payload: payload.text })
  const { id, type, createdAt, system } = event
  return { id, type, created_at: createdAt.toISOString(), system, ...payload }
}

/** Seconds from the end of the window to the event; undefined if the event was in time (§2.1a rule 3). */
export function lateByOf(claim: Claim, event: LogEvent): number | undefined {
  const lateMs = lateMsOf(claim, event)
  return lateMs === null ? undefined : lateMs / 1_000
}

/** Copies the payload as stored text, without parsing it. */
function presentLogged(event: Omit<LogEvent, 'payload'> & { payload: string }): JsonText {
  const { id, type, createdAt, system, payload } = event
  const head = JSON.stringify({ id, type, created_at: createdAt.toISOString(), system })
  const fields = payload.trim().slice(1, -1).trim()
  return new JsonText(fields === '' ? head : `${head.slice(0, -1)},${fields}}`)
}

/** A claim's or candidate's log, presented as it is read. */
export const presentLog = (log: AsyncIterable<LoggedEvent[]>) => presentEach(log, presentLogged)
