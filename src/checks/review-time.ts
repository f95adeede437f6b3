import type { CalendarTimes } from '../calendars/calendar-times.ts'
import type { CheckTerms } from '../core/contracts/contract.ts'
import type { Connection } from '../platform/database/connection.ts'
import type { DueClaim } from './due-claim-store.ts'

/** The terms of a due claim, with the working time of the calendar that applies to its review window (§2.1a). */
export async function withReviewTime(
  calendarTimes: CalendarTimes,
  db: Connection,
  { terms, reviewCalendar }: Pick<DueClaim, 'terms' | 'reviewCalendar'>,
): Promise<CheckTerms | null> {
  if (terms === null || reviewCalendar === null) return terms
  const { userId, calendar } = reviewCalendar
  return { ...terms, reviewTime: await calendarTimes.ofCalendar(db, userId, calendar) }
}
