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
export class ScopeQuery extends ListQuery {
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
