import type { Calendar } from '../core/calendars/calendar.ts'
import { listFirst } from '../kernel/text.ts'
import { dayAt } from '../kernel/time-zone.ts'
import { MAX_EXAMPLES } from './limits.ts'
import { misleadingZone } from './time/misleading-zone.ts'

/** The latest time that most input fields accept. As the end of a span it excludes the last minute of the day. */
const LAST_MINUTE = '23:59'

/** A note about spans that end at 23:59 and should probably end at 24:00. */
export function spanEndNotes({ weekly, exceptions }: Calendar): string[] {
  const days = Object.entries({ ...weekly, ...exceptions })
    .filter(([, spans]) => spans?.some(([, end]) => end === LAST_MINUTE))
    .map(([day]) => day)
  if (days.length === 0) return []
  return [
    `the calendar has spans that end at ${LAST_MINUTE}, so the minute from ${LAST_MINUTE} to midnight is no working time: ${listed(days)}; write 24:00 for the end of a day`,
  ]
}

/** A note about a time zone whose name suggests another offset. */
export function calendarZoneNotes({ time_zone: zone }: Calendar): string[] {
  const misleading = misleadingZone(zone)
  return misleading === null ? [] : [`the time zone of the calendar is ${zone}, which is ${misleading}`]
}

/** A note about years of the log in which the calendar has no holidays, if it has holidays in other years. */
export function holidayNotes(calendar: Calendar, firstAt: number, lastAt: number): string[] {
  const { holidays, exceptions, time_zone: timeZone } = calendar
  const daysOff = Object.entries(exceptions).flatMap(([day, spans]) => (spans.length === 0 ? [day] : []))
  const known = [...new Set([...holidays, ...daysOff].map(yearOf))].sort((a, b) => a - b)
  const from = yearOf(dayAt(new Date(firstAt), timeZone))
  const to = yearOf(dayAt(new Date(lastAt), timeZone))
  const years = Array.from({ length: to - from + 1 }, (_, i) => from + i)
  const missing = years.filter((year) => !known.includes(year))
  if (known.length === 0 || missing.length === 0) return []
  return [
    `the calendar has holidays in ${listed(known)}, but none in the year${missing.length === 1 ? '' : 's'} ${listed(missing)} of the log: a missing holiday counts as working time`,
  ]
}

const yearOf = (day: string): number => Number(day.slice(0, 4))

const listed = (items: readonly (string | number)[]): string => listFirst(items, MAX_EXAMPLES)
