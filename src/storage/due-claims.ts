import type { CheckTerms } from '../domain/contract.ts'
import type { ClaimState, Outcome, Status, Transition } from '../domain/lifecycle.ts'
import type { Connection } from './database.ts'
import { plainArray } from './sql-array.ts'

/** A claim on a test clock whose window has elapsed. */
export interface DueClaim {
  id: string
  state: ClaimState
  /** Looked up for OPEN claims only, as nothing else asks for them. */
  terms: CheckTerms | null
  eventCount: number
}

/** Live claims whose windows have elapsed and that make the same transition: alike in all that decides about it. */
export interface DueKind {
  /** Of its times, the latest that one of them has. */
  state: ClaimState
  /** Looked up for OPEN claims only, as nothing else asks for them. */
  terms: CheckTerms | null
  /** When the last event was recorded, of OPEN claims only and where that was after the check's time. */
  lastEventAt: Date | null
  count: number
  /** Of each, its id and its version, as PostgreSQL writes arrays. */
  ids: string
  eventCounts: string
}

/** Where a walk over the due claims of a test clock stands. */
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

/**
 * Until the transaction ends no other server works on due claims: the same work is not done twice. False where another
 * one does now.
 */
export async function tryCheckTurn(db: Connection): Promise<boolean> {
  const [row] = await db.query<{ taken: boolean }>({
    text: "SELECT pg_try_advisory_xact_lock(hashtext('claimkeeper scheduled check')) AS taken",
  })
  return row?.taken === true
}

interface StateRow {
  status: Status
  scheduled_outcome: Outcome | null
  status_since: Date
  due_at: Date
  review_window: number | null
  timeout_outcome: CheckTerms['timeout_outcome']
}

const TERMS = `CASE WHEN status = 'OPEN' THEN (contract->>'review_window')::float8 END AS review_window,
        CASE WHEN status = 'OPEN' THEN contract->>'timeout_outcome' END AS timeout_outcome`

/**
 * Begins a walk over the live claims that are due at the check's time: at most `limit`, those that have been due
 * longest, but in the order of their ids, which is about that of the tables and indexes. To be called in a
 * transaction, for one walk at a time.
 */
export async function beginDueWalk(turn: Connection, checkTime: Date, limit: number): Promise<void> {
  await turn.query({
    text: `-- begin_due_walk
      DECLARE due_walk NO SCROLL CURSOR FOR
      SELECT id FROM (
        SELECT id FROM claims WHERE due_at IS NOT NULL AND test_clock_id IS NULL AND due_at <= $1
        ORDER BY due_at, id LIMIT $2
      ) due
      ORDER BY id`,
    values: [checkTime, limit],
  })
}

/** The ids that come next on the walk; none at its end. */
export async function nextDueIds(turn: Connection, count: number): Promise<string[]> {
  const rows = await turn.query<{ id: string }>({ text: `FETCH ${count} FROM due_walk` })
  return rows.map(({ id }) => id)
}

export async function endDueWalk(turn: Connection): Promise<void> {
  await turn.query({ text: 'CLOSE due_walk' })
}

/**
 * Those of the live claims that are due at the check's time and entered their state before it, kind by kind: of a
 * thousand claims there are few kinds, so little goes through this process.
 */
export async function readDueKinds(
  db: Connection,
  checkTime: Date,
  ids: readonly string[],
): Promise<DueKind[]> {
  const rows = await db.query<
    StateRow & { last_event_at: Date | null; count: number; ids: string; event_counts: string }
  >({
    name: 'read_due_kinds',
    text: `-- read_due_kinds
      SELECT status, scheduled_outcome, max(status_since) AS status_since, max(due_at) AS due_at,
        review_window, timeout_outcome, last_event_at,
        count(*)::integer AS count, array_agg(id)::text AS ids, array_agg(event_count)::text AS event_counts
      FROM (
        SELECT id, status, scheduled_outcome, status_since, due_at, event_count, ${TERMS},
          CASE WHEN status = 'OPEN' THEN (
            SELECT CASE WHEN e.created_at > $2 THEN e.created_at END
            FROM claim_events e WHERE e.claim_id = c.id ORDER BY e.seq DESC LIMIT 1
          ) END AS last_event_at
        FROM claims c
        WHERE id = ANY ($1) AND due_at <= $2 AND status_since < $2
      ) due
      GROUP BY status, scheduled_outcome, review_window, timeout_outcome, last_event_at`,
    values: [plainArray(ids), checkTime],
  })
  return rows.map((row) => ({
    ...toStateAndTerms(row),
    lastEventAt: row.last_event_at,
    count: row.count,
    ids: row.ids,
    eventCounts: row.event_counts,
  }))
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
  const rows = await db.query<StateRow & { id: string; event_count: number }>({
    name: 'find_due_claims_on_test_clock',
    text: `-- find_due_claims_on_test_clock
      SELECT id, status, scheduled_outcome, status_since, due_at, event_count, ${TERMS}
      FROM claims
      WHERE test_clock_id = $1 AND due_at <= $2 AND (due_at, id) > ($3, $4)
      ORDER BY due_at, id
      LIMIT $5`,
    values: [testClockId, until, after.dueAt, after.id, limit],
  })
  return rows.map((row) => ({ ...toStateAndTerms(row), id: row.id, eventCount: row.event_count }))
}

function toStateAndTerms(row: StateRow): { state: ClaimState; terms: CheckTerms | null } {
  const { status, scheduled_outcome, status_since, due_at, review_window, timeout_outcome } = row
  return {
    state: { status, scheduledOutcome: scheduled_outcome, statusSince: status_since, dueAt: due_at },
    terms: review_window === null ? null : { review_window, timeout_outcome },
  }
}

/** Due claims of one kind with the transition that they make. */
export interface KindMove {
  kind: DueKind
  transition: Transition
}

/**
 * Makes the transitions and appends their system events, in one statement, for those claims to which nothing happened
 * since they were read. Returns how many claims moved.
 * @param longestLockWaitMs where another holds one of the claims for longer, it fails (`isPassing`)
 */
export async function moveKinds(
  db: Connection,
  moves: readonly KindMove[],
  longestLockWaitMs: number,
): Promise<number> {
  const joined = (arrays: readonly string[]) => `{${arrays.map((array) => array.slice(1, -1)).join(',')}}`
  const [row] = await db.query<{ moved: number }>({
    name: 'move_kinds',
    // id = ANY beside the join: with the join alone the planner may scan the whole table. In the order of their ids,
    // as all who change several claims at once: none waits for another.
    text: `-- move_kinds
      WITH patience AS MATERIALIZED (SELECT set_config('lock_timeout', $4, true)),
      decided AS MATERIALIZED (
        SELECT d.id, d.seen, m.* FROM unnest($1::uuid[], $2::integer[], $3::integer[]) AS d (id, seen, number)
        JOIN unnest($5::integer[], $6::text[], $7::text[], $8::text[], $9::timestamptz[], $10::timestamptz[], $11::text[])
          AS m (number, from_status, status, outcome, since, due, event_type) USING (number)
        ORDER BY d.id
      ),
      moved AS (
        UPDATE claims c
        SET status = d.status, scheduled_outcome = d.outcome, status_since = d.since, due_at = d.due,
          event_count = d.seen + 1
        FROM decided d, patience
        WHERE c.id = ANY ($1::uuid[]) AND c.id = d.id AND c.status = d.from_status AND c.event_count = d.seen
        RETURNING c.id, c.event_count, c.status_since, d.event_type
      ), logged AS (
        INSERT INTO claim_events (claim_id, seq, id, type, payload, system, created_at)
        SELECT id, event_count, gen_random_uuid()::text, event_type, '{}', true, status_since FROM moved
      )
      SELECT count(*)::integer AS moved FROM moved`,
    values: [
      joined(moves.map(({ kind }) => kind.ids)),
      joined(moves.map(({ kind }) => kind.eventCounts)),
      plainArray(moves.flatMap(({ kind }, number) => new Array<number>(kind.count).fill(number))),
      longestLockWaitMs,
      plainArray(moves.map((_, number) => number)),
      plainArray(moves.map(({ kind }) => kind.state.status)),
      plainArray(moves.map(({ transition }) => transition.state.status)),
      plainArray(moves.map(({ transition }) => transition.state.scheduledOutcome)),
      plainArray(moves.map(({ transition }) => transition.state.statusSince)),
      plainArray(moves.map(({ transition }) => transition.state.dueAt)),
      plainArray(moves.map(({ transition }) => transition.systemEventType)),
    ],
  })
  return row?.moved ?? 0
}

/** A due claim on a test clock with the transitions that it makes, at least one, in their order. */
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
        SELECT e.claim_id, e.seq, gen_random_uuid()::text, e.type, '{}', true, e.at
        FROM unnest($9::uuid[], $10::integer[], $11::text[], $12::timestamptz[]) AS e (claim_id, seq, type, at)
        JOIN moved ON moved.id = e.claim_id
      )
      SELECT id FROM moved`,
    values: [
      plainArray(claims.map(({ claim }) => claim.id)),
      plainArray(claims.map(({ claim }) => claim.state.status)),
      plainArray(claims.map(({ claim }) => claim.eventCount)),
      plainArray(claims.map(({ added }) => added)),
      plainArray(claims.map(({ state }) => state.status)),
      plainArray(claims.map(({ state }) => state.scheduledOutcome)),
      plainArray(claims.map(({ state }) => state.statusSince)),
      plainArray(claims.map(({ state }) => state.dueAt)),
      plainArray(events.map(({ claim }) => claim.id)),
      plainArray(events.map(({ seq }) => seq)),
      plainArray(events.map(({ transition }) => transition.systemEventType)),
      plainArray(events.map(({ transition }) => transition.state.statusSince)),
    ],
  })
  return moved.length
}
