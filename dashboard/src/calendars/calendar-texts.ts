import type { Calendar } from '../../../src/core/calendars/calendar.ts'
import type { Texts } from '../components/differences.tsx'
import { spansInWords, weekInWords } from './week-in-words.ts'

const NONE = '(none)'

/** The texts of a calendar's fields, for comparing two states. */
export const CALENDAR_TEXTS: Texts<Calendar> = {
  Name: ({ name }) => name,
  'Time zone': ({ time_zone }) => time_zone,
  Week: ({ weekly }) => weekInWords(weekly),
  Holidays: ({ holidays }) => holidays.join(', ') || NONE,
  Exceptions: ({ exceptions }) =>
    Object.entries(exceptions)
      .map(([date, spans]) => `${date} ${spansInWords(spans) || 'no working time'}`)
      .join('; ') || NONE,
}

export const calendarFields = ({ name, time_zone, weekly, holidays, exceptions }: Calendar): Calendar => ({
  name,
  time_zone,
  weekly,
  holidays,
  exceptions,
})
