/* Calendars: what several test files use of the source. When a source file moves, one line changes here. */

export {
  type Calendar,
  type Interval,
  type Span,
  WEEKDAYS,
} from '../../../src/core/calendars/calendar.ts'
export { validateCalendar } from '../../../src/core/calendars/validate-calendar.ts'
export { workingTime } from '../../../src/core/calendars/working-time.ts'
export { workingTimeUsed } from '../../../src/core/calendars/working-time-used.ts'
export { MAX_CALENDAR_DATES, MAX_SPANS, MAX_WORKING_SECONDS } from '../../../src/core/limits.ts'
