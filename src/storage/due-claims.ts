import type { CheckTerms } from '../domain/contract.ts'
import type { ClaimState, Outcome, Status, Transition } from '../domain/lifecycle.ts'
import type { Connection } from './database.ts'

/** What a scheduled check needs to know of a claim whose window has elapsed. */
export interface DueClaim {
  id: string
  state: ClaimState
  terms: CheckTerms
  eventCount: number
  /** When the last event was recorded; looked up for OPEN claims only. */
  lastEventAt: Date | null
}

/** Where a walk over the due claims stands. */
export interface DueCursor {
  dueAt: Date | '-infinity'
  id: string
}
export const DUE_START: DueCursor = { dueAt: '-infinity', id: '00000000-0000-0000-0000-000000000000' }

/** The database's time, in whole milliseconds. */
export async function readClock(db: Connection): Promise<Date> {
  const [row] = await db.query<{ now: Date }>({
    name: 'read_clock',
    text: "SELECT date_trunc('milliseconds', clock_timestamp()) AS now",
  })
  return (row as { now: Date }).now
}

/** Until the transaction ends no other server works on due claims: the same work is not done twice. */
export async function takeCheckTurn(db: Connection): Promise<void> {
  await db.query({ text: "SELECT pg_advisory_xact_lock(hashtext('claimkeeper scheduled check'))" })
}

interface DueRow {
  id: string
  status: Status
  scheduled_outcome: Outcome | null
  status_since: Date
  due_at: Date
  event_count: number
  review_window: number
  timeout_outcome: CheckTerms['timeout_outcome']
  last_event_at: Date | null
}

/** The next claims after the cursor that are due at the check's time and entered their state before it. */
export async function findDueClaims(
  db: Connection,
  checkTime: Date,
  after: DueCursor,
  limit: number,
): Promise<DueClaim[]> {
  const rows = await db.query<DueRow>({
    name: 'find_due_claims',
    text: `-- find_due_claims
      SELECT id, status, scheduled_outcome, status_since, due_at, event_count,
        (contract->>'review_window')::float8 AS review_window,
        contract->>'timeout_outcome' AS timeout_outcome,
        CASE WHEN status = 'OPEN' THEN
          (SELECT e.created_at FROM claim_events e WHERE e.claim_id = c.id ORDER BY e.seq DESC LIMIT 1)
        END AS last_event_at
      FROM claims c
      WHERE due_at IS NOT NULL AND test_clock_id IS NULL
        AND due_at <= $1 AND status_since < $1 AND (due_at, id) > ($2, $3)
      ORDER BY due_at, id
      LIMIT $4`,
    values: [checkTime, after.dueAt, after.id, limit],
  })
  return rows.map((row) => ({
    id: row.id,
    state: {
      status: row.status,
      scheduledOutcome: row.scheduled_outcome,
      statusSince: row.status_since,
      dueAt: row.due_at,
    },
    terms: { review_window: row.review_window, timeout_outcome: row.timeout_outcome },
    eventCount: row.event_count,
    lastEventAt: row.last_event_at,
  }))
}

export interface DueTransition extends Transition {
  claim: DueClaim
  systemEventId: string
}

/**
 * Makes the transitions and appends their system events, in one statement, for those claims to which nothing
 * happened since they were read. Returns how many were made.
 */
export async function applyTransitions(
  db: Connection,
  transitions: readonly DueTransition[],
): Promise<number> {
  const column = (value: (transition: DueTransition) => unknown) => transitions.map(value)
  const moved = await db.query({
    name: 'apply_transitions',
    // id = ANY beside the join: with the join alone the planner may scan the whole table.
    text: `-- apply_transitions
      WITH moved AS (
        UPDATE claims c
        SET status = t.status, scheduled_outcome = t.outcome, status_since = t.since, due_at = t.due,
          event_count = c.event_count + 1
        FROM unnest($1::uuid[], $2::text[], $3::integer[], $4::text[], $5::text[], $6::timestamptz[],
          $7::timestamptz[], $8::text[], $9::text[])
          AS t (id, from_status, seen, status, outcome, since, due, event_id, event_type)
        WHERE c.id = ANY ($1::uuid[]) AND c.id = t.id AND c.status = t.from_status AND c.event_count = t.seen
        RETURNING c.id, c.event_count, t.event_id, t.event_type, t.since
      )
      INSERT INTO claim_events (claim_id, seq, id, type, payload, system, created_at)
      SELECT id, event_count, event_id, event_type, '{}', true, since FROM moved
      RETURNING seq`,
    values: [
      column(({ claim }) => claim.id),
      column(({ claim }) => claim.state.status),
      column(({ claim }) => claim.eventCount),
      column(({ state }) => state.status),
      column(({ state }) => state.scheduledOutcome),
      column(({ state }) => state.statusSince),
      column(({ state }) => state.dueAt),
      column(({ systemEventId }) => systemEventId),
      column(({ systemEventType }) => systemEventType),
    ],
  })
  return moved.length
}
