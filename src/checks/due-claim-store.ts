import { MAX, NIL } from 'uuid'
import { contractIsMissing } from '../contracts/contract-store.ts'
import type { ClaimState, Outcome, Status } from '../core/claims/lifecycle.ts'
import type { CheckTerms } from '../core/contracts/contract.ts'
import { CHECK_OF_SHARD, SCHEDULED_CHECK } from '../platform/database/advisory-locks.ts'
import { readInShards } from '../platform/database/citus/in-shards.ts'
import type { Connection } from '../platform/database/connection.ts'
import { plainArray } from '../platform/database/sql-array.ts'

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
  /** When the last event was recorded, of OPEN claims only, and only if that was after the check's time. */
  lastEventAt: Date | null
  count: number
  /** Of each, its id and its version, as PostgreSQL writes arrays. */
  ids: string
  eventCounts: string
}

/** A place in the order of due times. */
export interface DueCursor {
  dueAt: Date | '-infinity'
  id: string
}
export const DUE_START: DueCursor = { dueAt: '-infinity', id: NIL }
/** All that is due at the check's time. */
export const dueBy = (checkTime: Date): DueStretch => ({
  after: DUE_START,
  upTo: { dueAt: checkTime, id: MAX },
})

/** Where the walk goes on after a set; null if the set was not full, so that there is no more. */
export function nextCursor(due: readonly DueClaim[], limit: number): DueCursor | null {
  const last = due.length === limit ? due.at(-1) : undefined
  return last?.state.dueAt ? { dueAt: last.state.dueAt, id: last.id } : null
}

interface StateRow {
  status: Status
  scheduled_outcome: Outcome | null
  status_since: Date
  due_at: Date
  review_window: number | null
  timeout_outcome: CheckTerms['timeout_outcome']
}

/** Of an OPEN claim, from its contract's columns; from the contract itself if it stands in the claim's row. */
const TERMS = `CASE WHEN status = 'OPEN' THEN coalesce(terms.review_window, (contract->>'review_window')::float8) END
          AS review_window,
        CASE WHEN status = 'OPEN' THEN coalesce(terms.timeout_outcome, contract->>'timeout_outcome') END
          AS timeout_outcome`
const joinTerms = (contracts: string) =>
  `LEFT JOIN ${contracts} terms ON terms.hash = c.contract_hash AND c.status = 'OPEN'`

/** A stretch of the index of due times: what is due after its beginning, up to and including its end. */
export interface DueStretch {
  after: DueCursor
  upTo: DueCursor
}

export interface ListedDue {
  stretch: DueStretch
  count: number
  /** The ids in their order, 16 bytes each. */
  ids: Buffer
}

/**
 * The live claims in the stretch that are due at the check's time: at most `limit`, those that have been due longest.
 * Returns the part of the stretch that holds them.
 */
export async function listDue(
  db: Connection,
  checkTime: Date,
  { after, upTo }: DueStretch,
  limit: number,
): Promise<ListedDue> {
  const [row] = await db.query<{ count: number; ids: Buffer | null; due_at: Date; id: string }>({
    text: `-- list_due
      WITH due AS MATERIALIZED (
        SELECT due_at, id FROM claims
        WHERE due_at IS NOT NULL AND test_clock_id IS NULL AND due_at <= $1
          AND (due_at, id) > ($2, $3) AND (due_at, id) <= ($4, $5)
        ORDER BY due_at, id LIMIT $6
      )
      SELECT listed.count, listed.ids, last.due_at, last.id
      FROM (SELECT count(*)::integer, string_agg(uuid_send(id), '' ORDER BY id) AS ids FROM due) listed
      LEFT JOIN (SELECT due_at, id FROM due ORDER BY due_at DESC, id DESC LIMIT 1) last ON true`,
    values: [checkTime, after.dueAt, after.id, upTo.dueAt, upTo.id, limit],
    readOnly: true,
  })
  const { count, ids, due_at, id } = row as NonNullable<typeof row>
  return {
    stretch: { after, upTo: count < limit ? upTo : { dueAt: due_at, id } },
    count,
    ids: ids ?? Buffer.alloc(0),
  }
}

/**
 * On distributed tables: the live claims that are due at the check's time on those machines that answer, of each shard
 * those that have been due longest, `limit` at most. It asks each shard by itself, where a walk needs all of them.
 */
export async function listDueWhereReached(db: Connection, checkTime: Date, limit: number): Promise<string[]> {
  const rows = await db.query<{ ids: string[] }>({
    text: `-- list_due_where_reached
      SELECT nullif(result, '')::uuid[] AS ids
      FROM run_command_on_shards('claims', format(
        'SELECT array_agg(id) FROM (
          SELECT id FROM %%s WHERE due_at IS NOT NULL AND test_clock_id IS NULL AND due_at <= %L
          ORDER BY due_at, id LIMIT %s
        ) due', $1::timestamptz, $2::integer))
      WHERE success AND result <> ''`,
    values: [checkTime, limit],
    readOnly: true,
  })
  return rows.flatMap(({ ids }) => ids)
}

type KindRow = StateRow & { last_event_at: Date | null; count: number; ids: string; event_counts: string }

const KINDS = `SELECT status, scheduled_outcome,
        max(status_since) AS status_since, max(due_at) AS due_at, review_window, timeout_outcome, last_event_at,
        count(*)::integer AS count, array_agg(id)::text AS ids, array_agg(event_count)::text AS event_counts
      FROM (
        SELECT id, status, scheduled_outcome, status_since, due_at, event_count, ${TERMS},
          CASE WHEN status = 'OPEN' THEN (
            SELECT CASE WHEN e.created_at > $2::timestamptz THEN e.created_at END
            FROM {{claim_events}} e WHERE e.claim_id = c.id ORDER BY e.seq DESC LIMIT 1
          ) END AS last_event_at
        FROM {{claims}} c ${joinTerms('{{contracts}}')}
        WHERE id = ANY ($1::uuid[]) AND due_at <= $2::timestamptz AND status_since < $2::timestamptz
      ) due
      GROUP BY status, scheduled_outcome, review_window, timeout_outcome, last_event_at`
const KIND_COLUMNS = `status text, scheduled_outcome text, status_since timestamptz, due_at timestamptz, review_window float8,
        timeout_outcome text, last_event_at timestamptz, count integer, ids text, event_counts text`

/**
 * Those of the live claims that are due at the check's time and entered their state before it, kind by kind: of a
 * thousand claims there are few kinds, so little goes through this process.
 */
export async function readDueKinds(
  db: Connection,
  checkTime: Date,
  ids: readonly string[],
): Promise<DueKind[]> {
  const rows = await readInShards<KindRow, string>(
    db,
    { name: 'read_due_kinds', text: KINDS, columns: KIND_COLUMNS },
    ids,
    (id) => id,
    (some) => [plainArray(some), checkTime],
  )
  // They are left for a later check.
  const decidable = db.distribution.isOn ? rows.filter((row) => !lacksTerms(row)) : rows
  return decidable.map((row) => ({
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
 * @throws UNAVAILABLE if the contract of one is missing
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
      FROM claims c ${joinTerms('contracts')}
      WHERE test_clock_id = $1 AND due_at <= $2 AND (due_at, id) > ($3, $4)
      ORDER BY due_at, id
      LIMIT $5`,
    values: [testClockId, until, after.dueAt, after.id, limit],
  })
  if (db.distribution.isOn && rows.some(lacksTerms)) throw contractIsMissing()
  return rows.map((row) => ({ ...toStateAndTerms(row), id: row.id, eventCount: row.event_count }))
}

/** Its machine does not have its contract yet: see `contractIsMissing`. */
const lacksTerms = ({ status, review_window }: StateRow) => status === 'OPEN' && review_window === null

function toStateAndTerms(row: StateRow): { state: ClaimState; terms: CheckTerms | null } {
  const { status, scheduled_outcome, status_since, due_at, review_window, timeout_outcome } = row
  return {
    state: { status, scheduledOutcome: scheduled_outcome, statusSince: status_since, dueAt: due_at },
    terms: review_window === null ? null : { review_window, timeout_outcome },
  }
}

/** For so long the turns may be held while others move claims: longer than any check of a minute takes. */
const LONGEST_TURN = '300s'

/**
 * Takes the turns of some of these shards: until the transaction ends no other server works on their due claims, so the
 * same work is not done twice, and nothing is summed up. The connection asks no machine but the coordinator: one that is
 * silent would have it hold them for as long. Returns those of which others do not work now; nothing while
 * somebody sums up.
 */
export async function takeCheckTurns(
  db: Connection,
  shards: readonly number[],
  most: number,
): Promise<number[]> {
  const rows = await db.query<{ shard: number }>({
    text: `-- take_check_turns
      WITH checks AS MATERIALIZED (SELECT pg_try_advisory_xact_lock_shared(${SCHEDULED_CHECK}) AS are_on)
      SELECT shard FROM checks, set_config('idle_in_transaction_session_timeout', '${LONGEST_TURN}', true),
        unnest($1::integer[]) AS shard
      WHERE are_on AND pg_try_advisory_xact_lock(${CHECK_OF_SHARD}, shard)
      LIMIT $2`,
    values: [shards, most],
  })
  return rows.map(({ shard }) => shard)
}

/** Until the transaction ends no server works on due claims. False if one does now. */
export async function tryHoldChecks(db: Connection): Promise<boolean> {
  const [row] = await db.query<{ held: boolean }>({
    text: `-- hold_checks
      SELECT pg_try_advisory_xact_lock(${SCHEDULED_CHECK}) AS held`,
  })
  return row?.held === true
}
