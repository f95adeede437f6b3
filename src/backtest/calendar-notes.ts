import type { Calendar } from '../core/calendars/calendar.ts'
import { MAX_EXAMPLES } from './limits.ts'

/** The latest time that most input fields accept. As the end of a span it excludes the last minute of the day. */
const LAST_MINUTE = '23:59'

/** A note about spans that end at 23:59 and should probably end at 24:00. */
export function calendarNotes({ weekly, exceptions }: Calendar): string[] {
  const days = Object.entries({ ...weekly, ...exceptions })
    .filter(([, spans]) => spans?.some(([, end]) => end === LAST_MINUTE))
    .map(([day]) => day)
  if (days.length === 0) return []
  const more = days.length > MAX_EXAMPLES ? ` and ${days.length - MAX_EXAMPLES} more` : ''
  return [
    `the calendar has spans that end at ${LAST_MINUTE}, so the minute from ${LAST_MINUTE} to midnight is no working time: ${days.slice(0, MAX_EXAMPLES).join(', ')}${more}; write 24:00 for the end of a day`,
  ]
}
