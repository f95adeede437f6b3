import { requireTimeZone } from '../accounts/time-zone.ts'
import type { Claim } from '../core/claims/claim.ts'
import { checkAtOrAfter, checksBefore, type Outcome, type Status } from '../core/claims/lifecycle.ts'
import { customerNotFound, testClockNotFound } from '../core/record-errors.ts'
import { findCustomer } from '../customers/customer-store.ts'
import { type Day, lastDays } from '../kernel/time-zone.ts'
import type { Connection } from '../platform/database/connection.ts'
import type { Database } from '../platform/database/database.ts'
import { findTestClocks } from '../test-clocks/test-clock-store.ts'
import { MAX_DUE_NEXT, MAX_RECENT } from './limits.ts'
import {
  beginOverview,
  findMedianSeconds,
  findOverdue,
  listDueNext,
  listRecent,
  type OverviewScope,
  type Tally,
  tallyResolved,
  tallyUnresolved,
} from './overview-store.ts'

export interface OverviewRequest extends OverviewScope {
  /** The length of the period, including today. */
  days: number
  timeZone: string
}

export interface Overview {
  asOf: Date
  statuses: Record<Status, Tally>
  pendingOutcomes: Record<Outcome, Tally>
  days: (Day & Record<Outcome, Tally>)[]
  resolution: { medianSeconds: number | null; count: number }
  dueNext: Claim[]
  overdue: { count: number; oldestDueAt: Date | null }
  recent: Claim[]
}

/**
 * The figures of the account, all from one snapshot.
 * @throws CUSTOMER_NOT_FOUND, TEST_CLOCK_NOT_FOUND, VALIDATION_ERROR for an unknown time zone
 */
export function getOverview(db: Database, request: OverviewRequest): Promise<Overview> {
  requireTimeZone(request.timeZone)
  return db.reads.for(request.userId).transaction((connection) => readOverview(connection, request))
}

async function readOverview(connection: Connection, request: OverviewRequest): Promise<Overview> {
  const asOf = await readTime(connection, request)
  const days = lastDays(asOf, request.timeZone, request.days)
  const unresolved = await tallyUnresolved(connection, request)
  const resolved = await tallyResolved(connection, request, days)
  const count = resolved.days.reduce((sum, day) => sum + day.CONFIRMED.count + day.FAILED.count, 0)
  const since = (days[0] as { start: Date }).start
  return {
    asOf,
    statuses: { OPEN: unresolved.OPEN, PENDING: unresolved.PENDING, ...resolved.totals },
    pendingOutcomes: unresolved.outcomes,
    days: days.map((day, i) => ({ ...day, ...(resolved.days[i] as Record<Outcome, Tally>) })),
    resolution: { medianSeconds: await findMedianSeconds(connection, request, since, count), count },
    dueNext: await listDueNext(connection, request, MAX_DUE_NEXT),
    overdue: await findOverdue(connection, request, lastCompletedCheck(asOf)),
    recent: await listRecent(connection, request, MAX_RECENT),
  }
}

/** The time of the database, or of the test clock. */
async function readTime(connection: Connection, request: OverviewRequest): Promise<Date> {
  const { userId, customerId, testClockId } = request
  const now = await beginOverview(connection)
  if (customerId !== null && !(await findCustomer(connection, userId, customerId))) {
    throw customerNotFound({ id: customerId })
  }
  if (testClockId === null) return now
  const [clock] = await findTestClocks(connection, userId, [testClockId])
  if (!clock) throw testClockNotFound(testClockId)
  return clock.frozenTime
}

/** The last scheduled check that began more than a minute ago. Claims that it should have moved are overdue. */
const lastCompletedCheck = (now: Date) => checksBefore(checkAtOrAfter(now), 2)
