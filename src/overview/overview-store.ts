import { CLAIM_COLUMNS, type ClaimRow, toWholeClaim } from '../claims/claim-columns.ts'
import type { ClaimWithMetadata } from '../core/claims/claim.ts'
import type { Outcome } from '../core/claims/lifecycle.ts'
import type { Metadata } from '../kernel/metadata.ts'
import type { Day } from '../kernel/time-zone.ts'
import { NOW } from '../platform/database/clock.ts'
import type { Connection } from '../platform/database/connection.ts'
import { ListQuery } from '../platform/database/lists/list-query.ts'
import { MAX_EXACT_MEDIAN_CLAIMS } from './limits.ts'

/** The claims and candidates of an overview. */
export interface OverviewScope {
  userId: string
  /** Null for all customers. */
  customerId: string | null
  /** Null for records without a test clock. */
  testClockId: string | null
}

/** In the words of the partial indexes: the planner compares the text of the conditions. */
export const IS_UNRESOLVED = "status IN ('OPEN', 'PENDING')"
export const IS_RESOLVED = "status IN ('CONFIRMED', 'FAILED')"

const KINDS = ['candidate_alias IS NULL', 'candidate_alias IS NOT NULL']

/** Collects the conditions of the scope and further conditions. */
class ScopeQuery extends ListQuery {
  readonly #clock: string
  readonly #isLiveOfCustomer: boolean

  constructor({ userId, customerId, testClockId }: OverviewScope) {
    super()
    this.#isLiveOfCustomer = customerId !== null && testClockId === null
    this.where('user_id', '=', userId)
    // Two bounds keep customer_id in the sort order. With one value the planner would drop it and not match the index.
    for (const operator of this.#isLiveOfCustomer ? (['>=', '<='] as const) : (['='] as const))
      this.where('customer_id', operator, customerId)
    this.#clock =
      testClockId === null ? 'test_clock_id IS NULL' : `test_clock_id = ${this.parameter(testClockId)}`
  }

  /**
   * SQL for FROM and WHERE with the scope's and this condition. Records of a customer without a test clock are read by the two indexes
   * of customers. Only these indexes have the order below, and sorting is disabled (`beginOverview`), so the planner uses them.
   */
  selection(condition: string): string {
    const conditions = `${this.conditions} AND ${this.#clock} AND ${condition}`
    if (!this.#isLiveOfCustomer) return `claims WHERE ${conditions}`
    const claimsOfKind = (kind: string) =>
      `(SELECT * FROM claims WHERE ${conditions} AND ${kind} ORDER BY customer_id, status, position)`
    return `(${KINDS.map(claimsOfKind).join(' UNION ALL ')}) AS claims WHERE true`
  }
}

/**
 * Begins a read-only transaction with one snapshot, and returns the database's time. The planner underestimates the cost of scanning
 * wide rows, so it must use the indexes and sort only what no index sorts. JIT would take longer than the statements, and the remaining
 * sorts need the memory.
 */
export async function beginOverview(db: Connection): Promise<Date> {
  await db.query({ text: 'SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY' })
  const [row] = await db.query<{ now: Date }>({
    text: `-- begin_overview
      SELECT ${NOW} AS now, set_config('enable_seqscan', 'off', true), set_config('enable_sort', 'off', true),
        set_config('jit', 'off', true), set_config('work_mem', '64MB', true)`,
  })
  return (row as { now: Date }).now
}

export interface Tally {
  count: number
  /** The exact decimal sum of the prices. */
  amount: string
}

const NOTHING: Tally = { count: 0, amount: '0' }

/** Adds up the few rows that the first part of the statement returns, so that the index is read once. */
const TALLY = 'sum(count)::int AS count, trim_scale(sum(amount))::text AS amount'
const PARTS = 'count(*) AS count, coalesce(sum(price), 0) AS amount'

/** The totals of OPEN and PENDING records, and of PENDING records by scheduled outcome. */
export async function tallyUnresolved(
  db: Connection,
  scope: OverviewScope,
): Promise<{ OPEN: Tally; PENDING: Tally; outcomes: Record<Outcome, Tally> }> {
  const query = new ScopeQuery(scope)
  const rows = await db.query<Tally & { status: 'OPEN' | 'PENDING'; outcome: Outcome | null }>({
    text: `-- tally_unresolved
      WITH parts AS MATERIALIZED (
        SELECT scheduled_outcome AS outcome, ${PARTS} FROM ${query.selection(IS_UNRESOLVED)} GROUP BY scheduled_outcome
      ), named AS (
        SELECT CASE WHEN outcome IS NULL THEN 'OPEN' ELSE 'PENDING' END AS status, outcome, count, amount FROM parts
      )
      SELECT status, outcome, ${TALLY} FROM named GROUP BY GROUPING SETS ((status, outcome), (status))`,
    values: query.values,
    readOnly: true,
  })
  const find = (status: string, outcome: Outcome | null) =>
    toTally(rows.find((row) => row.status === status && row.outcome === outcome))
  return {
    OPEN: find('OPEN', null),
    PENDING: find('PENDING', null),
    outcomes: { CONFIRMED: find('PENDING', 'CONFIRMED'), FAILED: find('PENDING', 'FAILED') },
  }
}

const toTally = (row: Tally | undefined): Tally => (row ? { count: row.count, amount: row.amount } : NOTHING)

/** The totals of resolved records, and of each day. */
export async function tallyResolved(
  db: Connection,
  scope: OverviewScope,
  days: readonly Day[],
): Promise<{ totals: Record<Outcome, Tally>; days: Record<Outcome, Tally>[] }> {
  const { parts, values } = isWholeAccount(scope) ? partsOfTotals(scope, days) : partsOfClaims(scope, days)
  const rows = await db.query<Tally & { place: number | null; outcome: Outcome }>({
    // `place` is the number of the day, from 1 on. 0 is before the first day, null the total.
    text: `-- tally_resolved
      WITH parts AS MATERIALIZED (${parts})
      SELECT place, outcome, ${TALLY} FROM parts GROUP BY GROUPING SETS ((place, outcome), (outcome))`,
    values,
    readOnly: true,
  })
  const tallies = new Map(rows.map((row) => [`${row.place} ${row.outcome}`, toTally(row)]))
  const at = (place: number | null) => ({
    CONFIRMED: tallies.get(`${place} CONFIRMED`) ?? NOTHING,
    FAILED: tallies.get(`${place} FAILED`) ?? NOTHING,
  })
  return { totals: at(null), days: days.map((_, i) => at(i + 1)) }
}

/** Only such scopes have stored totals. */
const isWholeAccount = ({ customerId, testClockId }: OverviewScope) =>
  customerId === null && testClockId === null

/** The stored totals and the claims that they do not include yet. */
function partsOfTotals(scope: OverviewScope, days: readonly Day[]) {
  const { parts, values } = partsOfClaims(scope, days, SINCE_MARK)
  const [user, starts] = ['$1', `$${values.length}`]
  return {
    parts: `SELECT width_bucket(quarter, ${starts}::timestamptz[]) AS place, status AS outcome, sum(count) AS count,
        sum(amount) AS amount
      FROM resolution_totals WHERE user_id = ${user} GROUP BY place, status
      UNION ALL ${parts}`,
    values,
  }
}

function partsOfClaims(scope: OverviewScope, days: readonly Day[], further = 'true') {
  const query = new ScopeQuery(scope)
  const starts = query.parameter(days.map(({ start }) => start))
  return {
    parts: `SELECT width_bucket(status_since, ${starts}::timestamptz[]) AS place, status AS outcome, ${PARTS}
      FROM ${query.selection(IS_RESOLVED)} AND ${further} GROUP BY place, status`,
    values: query.values,
  }
}

const SINCE_MARK = 'status_since > (SELECT up_to FROM resolution_mark)'

/**
 * The median of the seconds from creation to resolution of the `count` records that were resolved since then; null if there are none.
 * Above MAX_EXACT_MEDIAN_CLAIMS it is correct to 2 %, and the period begins at a full hour.
 */
export async function findMedianSeconds(
  db: Connection,
  scope: OverviewScope,
  since: Date,
  count: number,
): Promise<number | null> {
  if (count === 0) return null
  const statement =
    isWholeAccount(scope) && count > MAX_EXACT_MEDIAN_CLAIMS ? medianOfClasses : medianOfClaims
  const [row] = await db.query<{ median: number | null }>({ ...statement(scope, since), readOnly: true })
  // Times are whole milliseconds, so the median has at most four decimals.
  return row?.median == null ? null : Math.round(row.median * 10_000) / 10_000
}

function medianOfClaims(scope: OverviewScope, since: Date) {
  const query = new ScopeQuery(scope).where('status_since', '>=', since)
  return {
    text: `-- median_of_claims
      SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY date_part('epoch', status_since - created_at)) AS median
      FROM ${query.selection(IS_RESOLVED)}`,
    values: query.values,
  }
}

function medianOfClasses(scope: OverviewScope, since: Date) {
  const query = new ScopeQuery(scope)
  const start = `${query.parameter(since)}::timestamptz`
  return {
    text: `-- median_of_classes
      WITH parts AS (
        SELECT class, sum(count) AS count FROM resolution_durations
        WHERE user_id = $1 AND hour >= date_bin('1 hour', ${start}, '2000-01-01Z') GROUP BY class
        UNION ALL
        SELECT duration_class(status_since - created_at) AS class, count(*)
        FROM ${query.selection(IS_RESOLVED)} AND ${SINCE_MARK} AND status_since >= ${start} GROUP BY 1
      ), classes AS (
        SELECT class, sum(count)::float8 AS count, sum(sum(count)) OVER (ORDER BY class)::float8 AS up_to,
          sum(sum(count)) OVER ()::float8 AS total
        FROM parts GROUP BY class
      )
      SELECT power(2, (class + (total / 2 - up_to + count) / count) / 32) / 1000 AS median
      FROM classes WHERE up_to >= total / 2 ORDER BY class LIMIT 1`,
    values: query.values,
  }
}

type NotedRow = ClaimRow & { metadata: Metadata | null }
const COLUMNS = `${CLAIM_COLUMNS}, metadata`
const toNotedClaim = (row: NotedRow): ClaimWithMetadata => ({
  ...toWholeClaim(row),
  metadata: row.metadata ?? {},
})

/** The claims and candidates whose window ends next, soonest first. A claim whose clock is stopped has no due time. */
export async function listDueNext(
  db: Connection,
  scope: OverviewScope,
  limit: number,
): Promise<ClaimWithMetadata[]> {
  const query = new ScopeQuery(scope)
  const rows = await db.query<NotedRow>({
    text: `-- list_due_next
      SELECT ${COLUMNS} FROM claims WHERE id = ANY (ARRAY(
        SELECT id FROM ${query.selection(`${IS_UNRESOLVED} AND due_at IS NOT NULL`)}
        ORDER BY user_id, due_at LIMIT ${query.parameter(limit)}
      ))
      ORDER BY due_at, id`,
    values: query.values,
    readOnly: true,
  })
  return rows.map(toNotedClaim)
}

/** The records that a scheduled check until this time should have moved. */
export async function findOverdue(
  db: Connection,
  scope: OverviewScope,
  checkTime: Date,
): Promise<{ count: number; oldestDueAt: Date | null }> {
  const query = new ScopeQuery(scope).where('due_at', '<=', checkTime).where('status_since', '<', checkTime)
  const [row] = await db.query<{ count: number; oldest: Date | null }>({
    text: `-- find_overdue
      SELECT count(*)::int AS count, min(due_at) AS oldest
      FROM ${query.selection(IS_UNRESOLVED)}`,
    values: query.values,
    readOnly: true,
  })
  return { count: row?.count ?? 0, oldestDueAt: row?.oldest ?? null }
}

/** The records that most recently changed their status, latest first. */
export async function listRecent(
  db: Connection,
  scope: OverviewScope,
  limit: number,
): Promise<ClaimWithMetadata[]> {
  const query = new ScopeQuery(scope)
  const count = query.parameter(limit)
  const rows = await db.query<NotedRow>({
    text: `-- list_recent
      SELECT ${COLUMNS} FROM claims WHERE id = ANY (ARRAY(
        (SELECT id FROM ${query.selection(IS_UNRESOLVED)}
        ORDER BY status_since DESC LIMIT ${count})
        UNION ALL
        (SELECT id FROM ${query.selection(IS_RESOLVED)}
        ORDER BY user_id DESC, status_since DESC LIMIT ${count})
      ))
      ORDER BY status_since DESC, position DESC LIMIT ${count}`,
    values: query.values,
    readOnly: true,
  })
  return rows.map(toNotedClaim)
}
