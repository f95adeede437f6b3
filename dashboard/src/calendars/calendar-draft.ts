import {
  type Calendar,
  dayOf,
  mergeSpans,
  type Span,
  timeOfDayMs,
  WEEKDAYS,
  type Weekday,
} from '../../../src/core/calendars/calendar.ts'
import { validateCalendar } from '../../../src/core/calendars/validate-calendar.ts'
import type { Issue } from '../../../src/kernel/issue.ts'

/** A calendar as it is edited: texts may be incomplete. */
export interface CalendarDraft {
  name: string
  timeZone: string
  weekly: Record<Weekday, readonly SpanDraft[]>
  /** In order. */
  holidays: readonly string[]
  exceptions: readonly ExceptionDraft[]
}

export interface SpanDraft {
  /** For the list of fields. */
  key: number
  start: string
  end: string
}

export interface ExceptionDraft {
  key: number
  date: string
  spans: readonly SpanDraft[]
}

let lastKey = 0
export const newKey = (): number => ++lastKey

const DEFAULT_SPAN: Span = ['09:00', '17:00']

/** Monday to Friday, 09:00 to 17:00. */
export const newCalendar = (timeZone: string): Calendar => ({
  name: '',
  time_zone: timeZone,
  weekly: Object.fromEntries(WEEKDAYS.slice(0, 5).map((day) => [day, [DEFAULT_SPAN]])),
  holidays: [],
  exceptions: {},
})

export const draftOf = ({ name, time_zone, weekly, holidays, exceptions }: Calendar): CalendarDraft => ({
  name,
  timeZone: time_zone,
  weekly: {
    monday: toSpanDrafts(weekly.monday),
    tuesday: toSpanDrafts(weekly.tuesday),
    wednesday: toSpanDrafts(weekly.wednesday),
    thursday: toSpanDrafts(weekly.thursday),
    friday: toSpanDrafts(weekly.friday),
    saturday: toSpanDrafts(weekly.saturday),
    sunday: toSpanDrafts(weekly.sunday),
  },
  holidays,
  exceptions: Object.entries(exceptions).map(([date, spans]) => ({
    key: newKey(),
    date,
    spans: toSpanDrafts(spans),
  })),
})

const toSpanDraft = ([start, end]: Span): SpanDraft => ({ key: newKey(), start, end })

const toSpanDrafts = (spans: readonly Span[] = []): SpanDraft[] => spans.map(toSpanDraft)

/** Incomplete times count at once: an error that disappeared on blur would move the button under the pointer. */
const fromSpanDrafts = (spans: readonly SpanDraft[]): Span[] =>
  spans.map(({ start, end }) => [completeTime(start), completeTime(end)])

export const calendarOf = ({ name, timeZone, weekly, holidays, exceptions }: CalendarDraft): Calendar => ({
  name: name.trim(),
  time_zone: timeZone,
  weekly: Object.fromEntries(
    WEEKDAYS.filter((day) => weekly[day].length > 0).map((day) => [day, fromSpanDrafts(weekly[day])]),
  ),
  holidays: [...holidays],
  exceptions: Object.fromEntries(
    exceptions.map(({ date, spans }) => [date, fromSpanDrafts(spans)] as const).toSorted(byDate),
  ),
})

const byDate = ([a]: readonly [string, unknown], [b]: readonly [string, unknown]) => (a < b ? -1 : 1)

/** What is wrong with the draft, by the paths of the calendar. */
export function issuesOf(draft: CalendarDraft): Issue[] {
  const dates = draft.exceptions.map(({ date }) => date)
  const repeated = dates.filter((date, i) => date !== '' && dates.indexOf(date) !== i)
  return [
    ...validateCalendar(calendarOf(draft)),
    ...repeated.map((date) => ({ path: `exceptions.${date}`, message: 'is listed twice' })),
  ]
}

/** Reads 9, 930, 9:30 and 09:30 alike. Other texts stay as they are. */
export function completeTime(text: string): string {
  const [, hours, minutes = '00'] = /^(\d{1,2}?)(?:[:.]?(\d\d))?$/.exec(text.trim()) ?? []
  const time = hours === undefined ? text : `${hours.padStart(2, '0')}:${minutes}`
  return Number.isNaN(timeOfDayMs(time)) ? text : time
}

/** The span after the last one of a date. */
export function nextSpan(spans: readonly SpanDraft[]): SpanDraft {
  const last = spans.at(-1)
  if (!last) return toSpanDraft(DEFAULT_SPAN)
  return { key: newKey(), start: '', end: '' }
}

/** The spans that are complete, in milliseconds since midnight. */
export const completeSpans = (spans: readonly SpanDraft[]) =>
  mergeSpans(fromSpanDrafts(spans).filter(([start, end]) => timeOfDayMs(start) < timeOfDayMs(end)))

export const isDate = (text: string): boolean => !Number.isNaN(dayOf(text))

export const withHolidays = (draft: CalendarDraft, dates: readonly string[]): CalendarDraft => ({
  ...draft,
  holidays: [...new Set([...draft.holidays, ...dates])].sort(),
})
