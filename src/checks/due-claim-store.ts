import { MAX, NIL, stringify } from 'uuid'
import { contractIsMissing } from '../contracts/contract-store.ts'
import type { ClaimState, Outcome, Status } from '../core/claims/lifecycle.ts'
import type { CheckTerms } from '../core/contracts/contract.ts'
import { SCHEDULED_CHECK, SHARD_CHECK } from '../platform/database/advisory-locks.ts'
import { readInShards } from '../platform/database/citus/in-shards.ts'
import type { Connection } from '../platform/database/connection.ts'
import { plainArray } from '../platform/database/sql-array.ts'
import { SHARD_LOCK_IDLE_TIMEOUT_SECONDS } from './limits.ts'

/** A claim on a test clock whose window has elapsed. */
export interface DueClaim {
  id: string
  state: ClaimState
  /** Null unless the claim is OPEN: other transitions do not need the contract. */
  terms: CheckTerms | null
  reviewCalendar: ReviewCalendar | null
  eventCount: number
}

interface ReviewCalendar {
  userId: string
  calendar: { id: string; version: number }
}

/** Live claims whose windows have elapsed and that are equal in all that decides about their transition. */
export interface DueGroup {
  /** Its times are the latest of the group's. */
  state: ClaimState
  /** Null unless the claims are OPEN. */
  terms: CheckTerms | null
  /** The calendar that applies to the review window. Null if there is none, or if the claims are not OPEN. */
  reviewCalendar: ReviewCalendar | null
  /**
   * When the last event was recorded, if after the check's time. Null if there is none, as in a review without events.
   */
  lastEventAt: Date | null
  count: number
  /** Ids and versions as PostgreSQL array literals: they go back to PostgreSQL unparsed. */
  ids: string
  eventCounts: string
}

/** A position in the index of due times. */
export interface DueCursor {
  dueAt: Date | '-infinity'
  id: string
}
export const DUE_START: DueCursor = { dueAt: '-infinity', id: NIL }
/** The range of all claims that are due at the check's time. */
export const dueBy = (checkTime: Date): DueRange => ({
  after: DUE_START,
  upTo: { dueAt: checkTime, id: MAX },
})

/** The position after a batch; null after the last batch, which is not full. */
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
  review_calendar: string | null
}

/** Terms of OPEN claims: from the columns of the contract, or from the contract itself if the claim's row stores it. */
const TERMS = `CASE WHEN status = 'OPEN' THEN coalesce(terms.review_window, (contract->>'review_window')::float8) END
          AS review_window,
        CASE WHEN status = 'OPEN' THEN coalesce(terms.timeout_outcome, contract->>'timeout_outcome') END
          AS timeout_outcome`
/** JSON of the calendar that applies to the review window, with its account; null for most claims. */
const REVIEW_CALENDAR = `CASE WHEN status = 'OPEN' AND decided_count IS NOT NULL
          AND terms.document->'clock'->>'applies_to' LIKE '%review%'
          THEN json_build_object('userId', user_id, 'calendar', terms.document->'clock'->'calendar')::text END
          AS review_calendar`
const joinTerms = (contracts: string) =>
  `LEFT JOIN ${contracts} terms ON terms.hash = c.contract_hash AND c.status = 'OPEN'`

/** A range of the index of due times, without its start and with its end. */
export interface DueRange {
  after: DueCursor
  upTo: DueCursor
}

interface ListedRange {
  range: DueRange
  count: number
  /** In their order, 16 bytes each. */
  ids: Buffer
}

/**
 * Lists live claims of the range that are due at the check's time: at most `limit`, the longest due first. Returns the part of
 * the range that they cover.
 */
export async function listDue(
  db: Connection,
  checkTime: Date,
  { after, upTo }: DueRange,
  limit: number,
): Promise<ListedRange> {
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
    range: { after, upTo: count < limit ? upTo : { dueAt: due_at, id } },
    count,
    ids: ids ?? Buffer.alloc(0),
  }
}

/**
 * On distributed tables: due claims of reachable shards, at most `limit` of each shard, the longest due first. Each shard is
 * queried separately: one statement over all shards fails if one node is unavailable.
 */
export async function listDueOnReachableShards(
  db: Connection,
  checkTime: Date,
  limit: number,
): Promise<string[]> {
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

type GroupRow = StateRow & { last_event_at: Date | null; count: number; ids: string; event_counts: string }

const GROUPS = `SELECT status, scheduled_outcome,
        max(status_since) AS status_since, max(due_at) AS due_at, review_window, timeout_outcome, review_calendar, last_event_at,
        count(*)::integer AS count, array_agg(id)::text AS ids, array_agg(event_count)::text AS event_counts
      FROM (
        SELECT id, status, scheduled_outcome, status_since, due_at, event_count, ${TERMS}, ${REVIEW_CALENDAR},
          CASE WHEN status = 'OPEN' THEN (
            SELECT CASE WHEN e.created_at > $2::timestamptz THEN e.created_at END
            FROM {{claim_events}} e WHERE e.claim_id = c.id ORDER BY e.seq DESC LIMIT 1
          ) WHEN c.last_event_at > $2::timestamptz THEN c.last_event_at END AS last_event_at
        FROM {{claims}} c ${joinTerms('{{contracts}}')}
        WHERE id = ANY ($1::uuid[]) AND due_at <= $2::timestamptz AND status_since < $2::timestamptz
      ) due
      GROUP BY status, scheduled_outcome, review_window, timeout_outcome, review_calendar, last_event_at`
const GROUP_COLUMNS = `status text, scheduled_outcome text, status_since timestamptz, due_at timestamptz, review_window float8,
        timeout_outcome text, review_calendar text, last_event_at timestamptz, count integer, ids text, event_counts text`

/**
 * Reads those of the live claims that are due at the check's time and entered their state before it. Grouped by PostgreSQL: a
 * thousand claims make few groups, so little data passes through this process.
 */
export async function readDueGroups(
  db: Connection,
  checkTime: Date,
  ids: readonly string[],
): Promise<DueGroup[]> {
  const rows = await readInShards<GroupRow, string>(
    db,
    { name: 'read_due_kinds', text: GROUPS, columns: GROUP_COLUMNS },
    ids,
    (id) => id,
    (some) => [plainArray(some), checkTime],
  )
  // The others are left for a later check.
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
 * The next claims on a test clock after the cursor that are due by the time. The last event does not matter: events on a stopped
 * clock come after the check of its minute.
 * @throws UNAVAILABLE if the contract of one claim is missing
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
      SELECT id, status, scheduled_outcome, status_since, due_at, event_count, ${TERMS}, ${REVIEW_CALENDAR}
      FROM claims c ${joinTerms('contracts')}
      WHERE test_clock_id = $1 AND due_at <= $2 AND (due_at, id) > ($3, $4)
      ORDER BY due_at, id
      LIMIT $5`,
    values: [testClockId, until, after.dueAt, after.id, limit],
  })
  if (db.distribution.isOn && rows.some(lacksTerms)) throw contractIsMissing()
  return rows.map((row) => ({ ...toStateAndTerms(row), id: row.id, eventCount: row.event_count }))
}

/** The claim's node does not have its contract yet: see `contractIsMissing`. */
const lacksTerms = ({ status, review_window }: StateRow) => status === 'OPEN' && review_window === null

function toStateAndTerms(row: StateRow): Pick<DueClaim, 'state' | 'terms' | 'reviewCalendar'> {
  const { status, scheduled_outcome, status_since, due_at, review_window, timeout_outcome, review_calendar } =
    row
  return {
    state: { status, scheduledOutcome: scheduled_outcome, statusSince: status_since, dueAt: due_at },
    terms: review_window === null ? null : { review_window, timeout_outcome },
    reviewCalendar: review_calendar === null ? null : JSON.parse(review_calendar),
  }
}

/**
 * Locks shards until the transaction ends: no other server checks them, and nothing is summed up. The transaction must read from
 * the coordinator only: an unresponsive node would keep the locks until the idle timeout. Returns the locked shards: at
 * most `max`, none while another server sums up.
 */
export async function lockShards(db: Connection, shards: readonly number[], max: number): Promise<number[]> {
  const rows = await db.query<{ shard: number }>({
    text: `-- take_check_turns
      WITH checks AS MATERIALIZED (SELECT pg_try_advisory_xact_lock_shared(${SCHEDULED_CHECK}) AS are_on)
      SELECT shard FROM checks, set_config('idle_in_transaction_session_timeout', '${SHARD_LOCK_IDLE_TIMEOUT_SECONDS}s', true),
        unnest($1::integer[]) AS shard
      WHERE are_on AND pg_try_advisory_xact_lock(${SHARD_CHECK}, shard)
      LIMIT $2`,
    values: [shards, max],
  })
  return rows.map(({ shard }) => shard)
}

/** Prevents scheduled checks until the transaction ends. Returns false if a check runs. */
export async function tryLockChecks(db: Connection): Promise<boolean> {
  const [row] = await db.query<{ held: boolean }>({
    text: `-- hold_checks
      SELECT pg_try_advisory_xact_lock(${SCHEDULED_CHECK}) AS held`,
  })
  return row?.held === true
}

const ID_BYTES = 16

/** Merges sorted lists of ids, packed because there may be half a million. */
export class DueIdMerge {
  readonly #lists: { ids: Buffer; at: number; head: string }[] = []

  /** @param ids as `listDue` returns them */
  add(ids: Buffer): void {
    if (ids.length > 0) this.#lists.push({ ids, at: 0, head: stringify(ids) })
  }

  /** Removes and returns the first ids of all lists together. */
  take(count: number): string[] {
    const taken: string[] = []
    while (taken.length < count && this.#lists.length > 0) {
      const first = this.#lists.reduce((a, b) => (b.head < a.head ? b : a))
      taken.push(first.head)
      first.at += ID_BYTES
      if (first.at < first.ids.length) first.head = stringify(first.ids, first.at)
      else this.#lists.splice(this.#lists.indexOf(first), 1)
    }
    return taken
  }
}
