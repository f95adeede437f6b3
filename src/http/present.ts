import type { Static } from 'typebox'
import type { ClaimPage } from '../app/claim-page.ts'
import type { ClaimExplanation } from '../app/explain-claim.ts'
import type { LoggedEvent } from '../app/get-claim.ts'
import type { getClaimSchema } from '../app/get-claim-schema.ts'
import type { getCustomer } from '../app/get-customer.ts'
import type { getOverview } from '../app/get-overview.ts'
import type { getTestClock } from '../app/get-test-clock.ts'
import type { simulateContract } from '../app/simulate-contract.ts'
import type { Claim, StoredClaim, WithContract } from '../domain/claim.ts'
import type { Fate } from '../domain/claim-run.ts'
import type { LogEvent } from '../domain/event.ts'
import { LateEvent } from '../domain/late-submission.ts'
import type { TimelineEntry } from '../domain/simulate.ts'
import type { ErrorCode } from '../errors.ts'
import type { CandidateSummaryBody, ClaimSummaryBody } from './schemas/claim.ts'
import type { ClaimSchemaBody } from './schemas/claim-schema.ts'
import type { CustomerBody } from './schemas/customer.ts'
import type { OverviewBody } from './schemas/overview.ts'
import type { TestClockBody } from './schemas/test-clock.ts'
import { JsonText } from './send-json.ts'

/*
 * From the records of the domain to the bodies of answers. A Date becomes ISO 8601 in UTC with milliseconds; where
 * answers are many it is written out here, since JSON.stringify takes several times as long over what holds a Date.
 */

function presentEvent(event: LogEvent) {
  const { id, type, createdAt, system, payload } = event
  return { id, type, created_at: createdAt.toISOString(), system, ...payload }
}

/** An event that was submitted just now. */
export const presentRecorded = (event: LogEvent) =>
  event instanceof LateEvent ? presentLogged(event.asText()) : presentEvent(event)

/** Without a look at the payload: it is the text that was stored. */
function presentLogged(event: Omit<LogEvent, 'payload'> & { payload: string }): JsonText {
  const { id, type, createdAt, system, payload } = event
  const head = JSON.stringify({ id, type, created_at: createdAt.toISOString(), system })
  const fields = payload.trim().slice(1, -1).trim()
  return new JsonText(fields === '' ? head : `${head.slice(0, -1)},${fields}}`)
}

export function presentClaim<Form = Claim['contract']>(
  claim: WithContract<Claim, Form>,
): WithContract<Static<typeof ClaimSummaryBody>, Form> {
  return { id: claim.id, user_id: claim.userId, customer_id: claim.customerId, ...presentState(claim) }
}

export function presentCandidate<Form = Claim['contract']>(
  claim: WithContract<Claim, Form>,
): WithContract<Static<typeof CandidateSummaryBody>, Form> {
  return {
    candidate_alias: claim.candidateAlias as string,
    customer_uuid: claim.customerExternalId as string,
    ...presentState(claim),
  }
}

/** As the kind of record that it is. */
export function presentEither<Form = Claim['contract']>(claim: WithContract<Claim, Form>) {
  return claim.candidateAlias === null ? presentClaim(claim) : presentCandidate(claim)
}

function presentState<Form>(claim: WithContract<Claim, Form>) {
  return {
    contract: claim.contract,
    status: claim.status,
    status_since: claim.statusSince.toISOString(),
    scheduled_outcome: claim.scheduledOutcome,
    due_at: claim.dueAt?.toISOString() ?? null,
    schema_id: claim.schemaId,
    test_clock_id: claim.testClockId,
    created_at: claim.createdAt.toISOString(),
  }
}

export function presentCustomer(
  customer: Awaited<ReturnType<typeof getCustomer>>,
): Static<typeof CustomerBody> {
  return {
    id: customer.id,
    user_id: customer.userId,
    external_id: customer.externalId,
    name: customer.name,
    created_at: customer.createdAt,
  }
}

export function presentClaimSchema(
  schema: Awaited<ReturnType<typeof getClaimSchema>>,
): Static<typeof ClaimSchemaBody> {
  return {
    id: schema.id,
    user_id: schema.userId,
    contract: schema.contract,
    created_at: schema.createdAt,
    updated_at: schema.updatedAt,
  }
}

export function presentTestClock(
  clock: Awaited<ReturnType<typeof getTestClock>>,
): Static<typeof TestClockBody> {
  return {
    id: clock.id,
    user_id: clock.userId,
    name: clock.name,
    frozen_time: clock.frozenTime,
    next_due_at: clock.nextDueAt,
    created_at: clock.createdAt,
  }
}

export function presentOverview(
  overview: Awaited<ReturnType<typeof getOverview>>,
): Static<typeof OverviewBody> {
  const { asOf, statuses, pendingOutcomes, days, resolution, dueNext, overdue, recent } = overview
  return {
    as_of: asOf,
    statuses,
    pending_outcomes: pendingOutcomes,
    resolutions_by_day: days.map(({ day, CONFIRMED, FAILED }) => ({
      day,
      confirmed: CONFIRMED,
      failed: FAILED,
    })),
    resolution_seconds: { median: resolution.medianSeconds, count: resolution.count },
    due_next: dueNext.map(presentEither),
    overdue: { count: overdue.count, oldest_due_at: overdue.oldestDueAt },
    recent: recent.map(presentEither),
  }
}

export function presentExplanation(explanation: ClaimExplanation) {
  const { claim, condition, transitions } = explanation
  return {
    status: claim.status,
    scheduled_outcome: claim.scheduledOutcome,
    condition,
    transitions: transitions.map((transition) => ({
      ...transition,
      because: presentBecause(transition.because),
    })),
  }
}

export function presentSimulation({
  openedAt,
  timeline,
  final,
}: Awaited<ReturnType<typeof simulateContract>>) {
  return {
    opened_at: openedAt,
    timeline: timeline.values().map(presentTimelineEntry),
    final: {
      status: final.status,
      scheduled_outcome: final.scheduledOutcome,
      status_since: final.statusSince,
      due_at: final.dueAt,
    },
  }
}

/** What the live service answers where it does not record. */
const REFUSALS: Partial<Record<Fate['kind'], ErrorCode>> = {
  'not-open': 'CLAIM_NOT_OPEN',
  'id-conflict': 'EVENT_ID_CONFLICT',
  'log-full': 'EVENT_LIMIT_REACHED',
}

function presentTimelineEntry(entry: TimelineEntry) {
  if (entry.kind === 'transition') return { ...entry, because: presentBecause(entry.because) }
  const { kind, at, submission, fate } = entry
  const event = presentEvent({ ...submission, system: false, createdAt: at })
  const code = REFUSALS[fate]
  if (code) return { kind, at, event, accepted: false, code }
  return { kind, at, event, accepted: true, ...(fate === 'replay' ? { replayed: true } : {}) }
}

function presentBecause(because: { eventId?: string; windowElapsed?: string }) {
  const { eventId, windowElapsed } = because
  return {
    ...(windowElapsed === undefined ? {} : { window_elapsed: windowElapsed }),
    ...(eventId === undefined ? {} : { event_id: eventId }),
  }
}

/** A list's answer; the cursor is the UUID of the page's last record. */
export function presentPage<Row extends { id: string }, Body>(
  page: { rows: Row[]; hasMore: boolean },
  present: (row: Row) => Body,
): { data: Body[]; next_cursor: string | null } {
  return {
    data: page.rows.map(present),
    next_cursor: page.hasMore ? (page.rows.at(-1)?.id ?? null) : null,
  }
}

/** Records in pages as they are read; each is presented when it is its turn in the answer. */
export async function* presentEach<Row, Body>(
  pages: AsyncIterable<Row[]> | Iterable<Row[]>,
  present: (row: Row) => Body,
): AsyncGenerator<Iterable<Body>> {
  for await (const page of pages) yield page.values().map(present)
}

/** A claim's or candidate's log, as it is read. */
export const presentLog = (log: AsyncIterable<LoggedEvent[]>) => presentEach(log, presentLogged)

/** A list's answer whose claims are read to the end while it is sent. */
export const presentClaimPage = (
  { claims, nextCursor }: ClaimPage,
  present: (claim: WithContract<Claim, JsonText>) => object,
) => ({
  data: presentEach(claims, (claim) => JsonText.ofObject(present(withContractText(claim)))),
  next_cursor: nextCursor,
})

/** The contract goes into the answer as it was stored. */
export const withContractText = (claim: StoredClaim): WithContract<Claim, JsonText> => ({
  ...claim,
  contract: new JsonText(claim.contract),
})
