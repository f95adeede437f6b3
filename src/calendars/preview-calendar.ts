import type { Static } from 'typebox'
import { type Calendar, dateOf, dayOf, lengthOf, timeOfDay, weekdayOf } from '../core/calendars/calendar.ts'
import { type WorkingTime, workingTime } from '../core/calendars/working-time.ts'
import { validationError } from '../kernel/errors.ts'
import { dayAt } from '../kernel/time-zone.ts'
import { readClock } from '../platform/database/clock.ts'
import type { Context } from '../platform/database/context.ts'
import type { CalendarPreviewBody } from './calendar-bodies.ts'
import { getCalendar, getCalendarVersion } from './calendars.ts'
import { PREVIEW_DAYS } from './limits.ts'

interface PreviewRequest {
  from?: string
  days?: number
  version?: number
}

type Preview = Static<typeof CalendarPreviewBody>

/**
 * The working time of each date, up to the last date of 2999.
 * @throws CALENDAR_NOT_FOUND, CALENDAR_VERSION_NOT_FOUND, VALIDATION_ERROR
 */
export async function previewCalendar(
  context: Context,
  id: string,
  { from, days = PREVIEW_DAYS, version }: PreviewRequest,
): Promise<Preview> {
  if (from !== undefined && Number.isNaN(dayOf(from))) {
    const message = 'must be a date that exists, as YYYY-MM-DD, from 1970 to 2999'
    throw validationError([{ path: 'from', message }])
  }
  const { number, calendar } = await readVersion(context, id, version)
  const first = dayOf(from ?? dayAt(await readClock(context.read), calendar.time_zone))
  const dates = Array.from({ length: days }, (_, i) => dateOf(first + i))
  const time = workingTime(calendar)
  return {
    calendar_id: id,
    version: number,
    time_zone: calendar.time_zone,
    time_zone_data: process.versions.tz ?? 'unknown',
    holidays_until: calendar.holidays.at(-1) ?? null,
    data: dates.filter((date) => !Number.isNaN(dayOf(date))).map((date) => previewDate(calendar, time, date)),
  }
}

async function readVersion(
  context: Context,
  id: string,
  number: number | undefined,
): Promise<{ number: number; calendar: Calendar }> {
  if (number !== undefined) return { number, calendar: await getCalendarVersion(context, id, number) }
  const calendar = await getCalendar(context, id)
  return { number: calendar.versionNumber, calendar }
}

function previewDate(calendar: Calendar, time: WorkingTime, date: string): Preview['data'][number] {
  const instants = time.spansOf(date)
  return {
    date,
    weekday: weekdayOf(dayOf(date)),
    holiday: calendar.holidays.includes(date),
    exception: Object.hasOwn(calendar.exceptions, date),
    spans: time.localSpansOf(date).map(({ startMs, endMs }) => [timeOfDay(startMs), timeOfDay(endMs)]),
    working_time: instants.map(({ startMs, endMs }) => ({ start: new Date(startMs), end: new Date(endMs) })),
    seconds: lengthOf(instants) / 1000,
  }
}
