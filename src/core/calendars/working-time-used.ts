import { dayAt } from '../../kernel/time-zone.ts'
import { MAX_EXPLAINED_DATES } from '../limits.ts'
import { dateOf, dayOf, type Interval, weekdayOf } from './calendar.ts'
import type { WorkingTime } from './working-time.ts'

/** What a calendar counted and skipped in the periods in which a window ran. */
export interface WorkingTimeUsed {
  /** Number of spans with counted time. A span that a change of the clocks splits counts as two. */
  spanCount: number
  /** The first dates that are without working time only because they are holidays. */
  holidays: string[]
  holidayCount: number
  /** The first dates that have spans of their own. */
  exceptions: string[]
  exceptionCount: number
}

/** Yields after each date. @param periods in ascending order, without overlaps */
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
  // A span or a date that is in two periods counts once.
  let lastSpanMs = Number.NEGATIVE_INFINITY
  let lastDay = Number.NEGATIVE_INFINITY
  for (const { startMs, endMs } of periods) {
    if (startMs >= endMs) continue
    const [first, last] = [startMs, endMs - 1].map((ms) => dayOf(dayAt(new Date(ms), time_zone))) as [
      number,
      number,
    ]
    for (let day = first; day <= last; day++) {
      const date = dateOf(day)
      if (day > lastDay) countDate(date)
      lastDay = Math.max(lastDay, day)
      for (const span of time.spansOf(date)) {
        const isUsed = span.startMs < endMs && span.endMs > startMs && span.startMs > lastSpanMs
        if (!isUsed) continue
        used.spanCount++
        lastSpanMs = span.startMs
      }
      yield
    }
  }
  return used
}
