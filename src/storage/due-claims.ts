import { v7 as uuidv7 } from 'uuid'
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

/** Where the walk goes on after a set; null where the set was not full, so that there is no more. */
export function nextCursor(due: readonly DueClaim[], limit: number): DueCursor | null {
  const last = due.length === limit ? due.at(-1) : undefined
  return last?.state.dueAt ? { dueAt: last.state.dueAt, id: last.id } : null
}

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

/** A statement of this transaction that waits longer for a lock fails (`isPassing`). */
export async function limitLockWaits(db: Connection, ms: number): Promise<void> {
  await db.query({ text: `SET LOCAL lock_timeout = ${ms}` })
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

const DUE_COLUMNS = `id, status, scheduled_outcome, status_since, due_at, event_count,
        (contract->>'review_window')::float8 AS review_window,
        contract->>'timeout_outcome' AS timeout_outcome`

/** The next live claims after the cursor that are due at the check's time and entered their state before it. */
export async function findDueClaims(
  db: Connection,
  checkTime: Date,
  after: DueCursor,
  limit: number,
): Promise<DueClaim[]> {
  const rows = await db.query<DueRow>({
    name: 'find_due_claims',
    text: `-- find_due_claims
      SELECT ${DUE_COLUMNS},
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
  return rows.map(toDueClaim)
}

/**
 * The next claims on a test clock after the cursor that are due by the time. Events on a clock that stands
 * still come after the check of its minute, so the last of them does not matter.
 */
export async function findDueClaimsOnTestClock(
  db: Connection,
  testClockId: string,
  until: Date,
  after: DueCursor,
  limit: number,
): Promise<DueClaim[]> {
  const rows = await db.query<DueRow>({
    name: 'find_due_claims_on_test_clock',
    text: `-- find_due_claims_on_test_clock
      SELECT ${DUE_COLUMNS}, NULL::timestamptz AS last_event_at
      FROM claims
      WHERE test_clock_id = $1 AND due_at <= $2 AND (due_at, id) > ($3, $4)
      ORDER BY due_at, id
      LIMIT $5`,
    values: [testClockId, until, after.dueAt, after.id, limit],
  })
  return rows.map(toDueClaim)
}

function toDueClaim(row: DueRow): DueClaim {
  return {
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
  }
}

/** A due claim with the transitions that it makes, at least one, in their order. */
export interface ClaimMove {
  claim: DueClaim
  transitions: readonly Transition[]
}

/**
 * Makes the moves and appends their system events, in one statement, for those claims to which nothing happened
 * since they were read. Returns how many claims moved.
 */
export async function applyMoves(db: Connection, moves: readonly ClaimMove[]): Promise<number> {
  // In the order of their ids, as all who change several claims at once: none waits for another.
  const claims = moves
    .map(({ claim, transitions }) => ({
      claim,
      state: (transitions.at(-1) as Transition).state,
      added: transitions.length,
    }))
    .sort((a, b) => (a.claim.id < b.claim.id ? -1 : 1))
  const events = moves.flatMap(({ claim, transitions }) =>
    transitions.map((transition, i) => ({ claim, transition, seq: claim.eventCount + i + 1 })),
  )
  const moved = await db.query({
    name: 'apply_moves',
    // id = ANY beside the join: with the join alone the planner may scan the whole table.
    text: `-- apply_moves
      WITH moved AS (
        UPDATE claims c
        SET status = m.status, scheduled_outcome = m.outcome, status_since = m.since, due_at = m.due,
          event_count = m.seen + m.added
        FROM unnest($1::uuid[], $2::text[], $3::integer[], $4::integer[], $5::text[], $6::text[],
          $7::timestamptz[], $8::timestamptz[])
          AS m (id, from_status, seen, added, status, outcome, since, due)
        WHERE c.id = ANY ($1::uuid[]) AND c.id = m.id AND c.status = m.from_status AND c.event_count = m.seen
        RETURNING c.id
      ), logged AS (
        INSERT INTO claim_events (claim_id, seq, id, type, payload, system, created_at)
        SELECT e.claim_id, e.seq, e.id, e.type, '{}', true, e.at
        FROM unnest($9::uuid[], $10::integer[], $11::text[], $12::text[], $13::timestamptz[])
          AS e (claim_id, seq, id, type, at)
        JOIN moved ON moved.id = e.claim_id
      )
      SELECT id FROM moved`,
    values: [
      claims.map(({ claim }) => claim.id),
      claims.map(({ claim }) => claim.state.status),
      claims.map(({ claim }) => claim.eventCount),
      claims.map(({ added }) => added),
      claims.map(({ state }) => state.status),
      claims.map(({ state }) => state.scheduledOutcome),
      claims.map(({ state }) => state.statusSince),
      claims.map(({ state }) => state.dueAt),
      events.map(({ claim }) => claim.id),
      events.map(({ seq }) => seq),
      events.map(() => uuidv7()),
      events.map(({ transition }) => transition.systemEventType),
      events.map(({ transition }) => transition.state.statusSince),
    ],
  })
  return moved.length
}
