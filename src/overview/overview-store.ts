import { CLAIM_COLUMNS, type ClaimRow, toWholeClaim } from '../claims/claim-columns.ts'
import type { NotedClaim } from '../core/claims/claim.ts'
import type { Outcome } from '../core/claims/lifecycle.ts'
import type { Metadata } from '../kernel/metadata.ts'
import type { Day } from '../kernel/time-zone.ts'
import { NOW } from '../platform/database/clock.ts'
import type { Connection } from '../platform/database/connection.ts'
import { ListQuery } from '../platform/database/lists/list-query.ts'

/** Which claims and candidates an overview is about. */
export interface OverviewScope {
  userId: string
  /** Null for all customers. */
  customerId: string | null
  /** Null for those that live by the real time. */
  testClockId: string | null
}

/** As the indexes of them say it: the planner compares the words. */
export const IS_UNRESOLVED = "status IN ('OPEN', 'PENDING')"
export const IS_RESOLVED = "status IN ('CONFIRMED', 'FAILED')"

const KINDS = ['candidate_alias IS NULL', 'candidate_alias IS NOT NULL']

/** Collects the conditions of the scope, and further ones. */
class ScopeQuery extends ListQuery {
  readonly #clock: string
  readonly #isLiveOfCustomer: boolean

  constructor({ userId, customerId, testClockId }: OverviewScope) {
    super()
    this.#isLiveOfCustomer = customerId !== null && testClockId === null
    this.where('user_id', '=', userId)
    // Two bounds leave it in the order that is asked for; one value would make that the same as without it.
    for (const operator of this.#isLiveOfCustomer ? (['>=', '<='] as const) : (['='] as const))
      this.where('customer_id', operator, customerId)
    this.#clock =
      testClockId === null ? 'test_clock_id IS NULL' : `test_clock_id = ${this.parameter(testClockId)}`
  }

  /**
   * What to read FROM, and WHERE, with this condition. A customer's live ones are read by the indexes of customers, one for
   * each kind, whatever the planner thinks of them: only those have this order, and nothing is sorted that an index
   * has in order (`beginOverview`).
   */
  those(are: string): string {
    const conditions = `${this.conditions} AND ${this.#clock} AND ${are}`
    if (!this.#isLiveOfCustomer) return `claims WHERE ${conditions}`
    const ofKind = (kind: string) =>
      `(SELECT * FROM claims WHERE ${conditions} AND ${kind} ORDER BY customer_id, status, position)`
    return `(${KINDS.map(ofKind).join(' UNION ALL ')}) AS claims WHERE true`
  }
}

/**
 * What follows on this connection until the transaction ends is of one moment and changes nothing. The planner must take
 * the indexes, since it thinks too little of a table of many wide rows, and sort only what no index has in order; its
 * compiler would take longer than the statements do, and their sorting would spill.
 * Returns the database's time.
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

/** How many, and the exact decimal sum of their prices. */
export interface Tally {
  count: number
  amount: string
}

const NOTHING: Tally = { count: 0, amount: '0' }

/** Sums of the sums that the statement's first part makes: few rows, one pass over the index. */
const TALLY = 'sum(count)::int AS count, trim_scale(sum(amount))::text AS amount'
const PARTS = 'count(*) AS count, coalesce(sum(price), 0) AS amount'

/** What is OPEN, and what is PENDING: in all, and by scheduled outcome. */
export async function tallyUnresolved(
  db: Connection,
  scope: OverviewScope,
): Promise<{ OPEN: Tally; PENDING: Tally; outcomes: Record<Outcome, Tally> }> {
  const query = new ScopeQuery(scope)
  const rows = await db.query<Tally & { status: 'OPEN' | 'PENDING'; outcome: Outcome | null }>({
    text: `-- tally_unresolved
      WITH parts AS MATERIALIZED (
        SELECT scheduled_outcome AS outcome, ${PARTS} FROM ${query.those(IS_UNRESOLVED)} GROUP BY scheduled_outcome
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

/** What was resolved: in all, and on each of the days. */
export async function tallyResolved(
  db: Connection,
  scope: OverviewScope,
  days: readonly Day[],
): Promise<{ totals: Record<Outcome, Tally>; days: Record<Outcome, Tally>[] }> {
  const { parts, values } = isWholeAccount(scope) ? partsOfTotals(scope, days) : partsOfClaims(scope, days)
  const rows = await db.query<Tally & { place: number | null; outcome: Outcome }>({
    // A row's place among the days, from 1 on; 0 is before them, and null stands for all.
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

/** Such scopes have totals that are kept; others are summed up. */
const isWholeAccount = ({ customerId, testClockId }: OverviewScope) =>
  customerId === null && testClockId === null

/** The totals, and what they do not include yet. */
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
      FROM ${query.those(IS_RESOLVED)} AND ${further} GROUP BY place, status`,
    values: query.values,
  }
}

const SINCE_MARK = 'status_since > (SELECT up_to FROM resolution_mark)'

/** Of the whole account's, from how many on the median is found among the classes that are kept. */
const MANY = 100_000

/**
 * Seconds from creation to resolution of the `count` that were resolved since then; null if none were. Of many it
 * is right to within 2 %, and those of the hour count from its beginning.
 */
export async function findMedianSeconds(
  db: Connection,
  scope: OverviewScope,
  since: Date,
  count: number,
): Promise<number | null> {
  if (count === 0) return null
  const statement = isWholeAccount(scope) && count > MANY ? medianOfClasses : medianOfClaims
  const [row] = await db.query<{ median: number | null }>({ ...statement(scope, since), readOnly: true })
  // Times are whole milliseconds, so their median is not finer than this.
  return row?.median == null ? null : Math.round(row.median * 10_000) / 10_000
}

function medianOfClaims(scope: OverviewScope, since: Date) {
  const query = new ScopeQuery(scope).where('status_since', '>=', since)
  return {
    text: `-- median_of_claims
      SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY date_part('epoch', status_since - created_at)) AS median
      FROM ${query.those(IS_RESOLVED)}`,
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
        FROM ${query.those(IS_RESOLVED)} AND ${SINCE_MARK} AND status_since >= ${start} GROUP BY 1
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
const toNotedClaim = (row: NotedRow): NotedClaim => ({ ...toWholeClaim(row), metadata: row.metadata ?? {} })

/** The claims and candidates whose window ends next, soonest first. */
export async function listDueNext(
  db: Connection,
  scope: OverviewScope,
  limit: number,
): Promise<NotedClaim[]> {
  const query = new ScopeQuery(scope)
  const rows = await db.query<NotedRow>({
    text: `-- list_due_next
      SELECT ${COLUMNS} FROM claims WHERE id = ANY (ARRAY(
        SELECT id FROM ${query.those(IS_UNRESOLVED)}
        ORDER BY user_id, due_at LIMIT ${query.parameter(limit)}
      ))
      ORDER BY due_at, id`,
    values: query.values,
    readOnly: true,
  })
  return rows.map(toNotedClaim)
}

/** Those that the check of this time, or an earlier one, should have moved. */
export async function findOverdue(
  db: Connection,
  scope: OverviewScope,
  checkTime: Date,
): Promise<{ count: number; oldestDueAt: Date | null }> {
  const query = new ScopeQuery(scope).where('due_at', '<=', checkTime).where('status_since', '<', checkTime)
  const [row] = await db.query<{ count: number; oldest: Date | null }>({
    text: `-- find_overdue
      SELECT count(*)::int AS count, min(due_at) AS oldest
      FROM ${query.those(IS_UNRESOLVED)}`,
    values: query.values,
    readOnly: true,
  })
  return { count: row?.count ?? 0, oldestDueAt: row?.oldest ?? null }
}

/** Those that entered their status last, latest first. */
export async function listRecent(db: Connection, scope: OverviewScope, limit: number): Promise<NotedClaim[]> {
  const query = new ScopeQuery(scope)
  const count = query.parameter(limit)
  const rows = await db.query<NotedRow>({
    text: `-- list_recent
      SELECT ${COLUMNS} FROM claims WHERE id = ANY (ARRAY(
        (SELECT id FROM ${query.those(IS_UNRESOLVED)}
        ORDER BY status_since DESC LIMIT ${count})
        UNION ALL
        (SELECT id FROM ${query.those(IS_RESOLVED)}
        ORDER BY user_id DESC, status_since DESC LIMIT ${count})
      ))
      ORDER BY status_since DESC, position DESC LIMIT ${count}`,
    values: query.values,
    readOnly: true,
  })
  return rows.map(toNotedClaim)
}
