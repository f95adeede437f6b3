import { validationError } from '../../errors.ts'
import { NOW } from '../database/clock.ts'
import type { Connection } from '../database/connection.ts'
import { ListQuery } from '../lists/list-query.ts'

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
  /** What to read FROM. */
  readonly source: string
  readonly #isLive: boolean

  constructor({ userId, customerId, testClockId }: OverviewScope) {
    super()
    this.where('user_id', '=', userId).where('customer_id', '=', customerId)
    // The planner might look for a customer's among all of the account's. The kinds have an index by customer each.
    const ofKind = (kind: string) => `SELECT * FROM claims WHERE ${super.conditions} AND ${kind}`
    this.source = customerId === null ? 'claims' : `(${KINDS.map(ofKind).join(' UNION ALL ')}) AS claims`
    this.where('test_clock_id', '=', testClockId)
    this.#isLive = testClockId === null
  }

  override get conditions(): string {
    return this.#isLive ? `${super.conditions} AND test_clock_id IS NULL` : super.conditions
  }
}

/** SQLSTATE of a setting's value that PostgreSQL does not know. */
const INVALID_VALUE = '22023'

/**
 * What follows on this connection until the transaction ends is of one moment, changes nothing, and names days by the
 * time zone. The planner must take the indexes, since it thinks too little of a table of many wide rows; its compiler
 * would take longer than the statements do, and their sorting would spill.
 * Returns the database's time.
 * @throws VALIDATION_ERROR for a time zone that the database does not know
 */
export async function beginOverview(db: Connection, timeZone: string): Promise<Date> {
  await db.query({ text: 'SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY' })
  try {
    const [row] = await db.query<{ now: Date }>({
      text: `-- begin_overview
        SELECT ${NOW} AS now, set_config('TimeZone', $1, true),
          set_config('enable_seqscan', 'off', true), set_config('jit', 'off', true),
          set_config('work_mem', '64MB', true)`,
      values: [timeZone],
    })
    return (row as { now: Date }).now
  } catch (error) {
    if ((error as { code?: string }).code !== INVALID_VALUE) throw error
    throw validationError([{ path: 'time_zone', message: 'is not known to the database' }])
  }
}
