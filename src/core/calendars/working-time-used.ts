import { dayAt } from '../../kernel/time-zone.ts'
import { MAX_EXPLAINED_DATES } from '../limits.ts'
import { dateOf, dayOf, type Interval, weekdayOf } from './calendar.ts'
import type { WorkingTime } from './working-time.ts'

/** What a calendar counted and skipped in the periods in which a window ran. */
export interface WorkingTimeUsed {
  /** Spans of which some time was counted. A span that clocks show in two pieces is two. */
  spanCount: number
  /** The first dates that are without working time only because they are holidays. */
  holidays: string[]
  holidayCount: number
  /** The first dates that have spans of their own. */
  exceptions: string[]
  exceptionCount: number
}

/** A step for each date. @param periods in their order, without overlaps */
export function* workingTimeUsed(
  time: WorkingTime,
  periods: readonly Interval[],
): Generator<void, WorkingTimeUsed> {
  const { time_zone, weekly, exceptions } = time.hours
  const holidays = new Set(time.hours.holidays)
  const used: WorkingTimeUsed = {
    spanCount: 0,
    holidays: [],
    holidayCount: 0,
    exceptions: [],
    exceptionCount: 0,
  }
  const countDate = (date: string) => {
    if (Object.hasOwn(exceptions, date)) {
      used.exceptionCount++
      if (used.exceptions.length < MAX_EXPLAINED_DATES) used.exceptions.push(date)
    } else if (holidays.has(date) && (weekly[weekdayOf(dayOf(date))] ?? []).length > 0) {
      used.holidayCount++
      if (used.holidays.length < MAX_EXPLAINED_DATES) used.holidays.push(date)
    }
  }
  // A span or a date of two periods counts once.
  let countedSpanMs = Number.NEGATIVE_INFINITY
  let countedDay = Number.NEGATIVE_INFINITY
  for (const { startMs, endMs } of periods) {
    if (startMs >= endMs) continue
    const [first, last] = [startMs, endMs - 1].map((ms) => dayOf(dayAt(new Date(ms), time_zone))) as [
      number,
      number,
    ]
    for (let day = first; day <= last; day++) {
      const date = dateOf(day)
      if (day > countedDay) countDate(date)
      countedDay = Math.max(countedDay, day)
      for (const span of time.spansOf(date)) {
        const isUsed = span.startMs < endMs && span.endMs > startMs && span.startMs > countedSpanMs
        if (!isUsed) continue
        used.spanCount++
        countedSpanMs = span.startMs
      }
      yield
    }
  }
  return used
}
