import { isTimeZone, localTime, startOfDay, timeAt } from '../../../src/kernel/time-zone.ts'

/** Formats and parses times in a time zone. The API uses ISO 8601 in UTC. */
export interface LocalTime {
  timeZone: string
  /** In the browser's locale, with the zone: 31 Jan 2026, 13:00:00 CET. A line may break only before the hour. */
  show: (iso: string) => string
  /** The value of a `datetime-local` field. */
  toField: (iso: string) => string
  /** Null if the text is empty or no time. */
  fromField: (text: string) => string | null
  /** The start of a day such as 2026-01-31, or of a later day. Null if the text is no day. */
  startOfDay: (day: string, daysLater?: number) => string | null
}

const made = new Map<string, LocalTime>()

/** UTC if this browser does not know the zone, or an older server sends none. */
export function localTimeIn(name: string | undefined): LocalTime {
  const timeZone = name !== undefined && isTimeZone(name) ? name : 'UTC'
  const found = made.get(timeZone) ?? makeLocalTime(timeZone)
  made.set(timeZone, found)
  return found
}

function makeLocalTime(timeZone: string): LocalTime {
  const format = new Intl.DateTimeFormat(undefined, {
    timeZone,
    day: 'numeric',
    month: 'short',
    year: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    timeZoneName: 'short',
  })
  return {
    timeZone,
    show: (iso) => {
      const parts = format.formatToParts(new Date(iso))
      const hour = parts.findIndex(({ type }) => type === 'hour')
      return `${withoutLineBreaks(parts.slice(0, hour))} ${withoutLineBreaks(parts.slice(hour))}`.trim()
    },
    toField: (iso) => localTime(new Date(iso), timeZone).slice(0, 'YYYY-MM-DDTHH:MM'.length),
    fromField: (text) => timeAt(text, timeZone)?.toISOString() ?? null,
    startOfDay: (day, daysLater) => startOfDay(day, timeZone, daysLater)?.toISOString() ?? null,
  }
}

const withoutLineBreaks = (parts: Intl.DateTimeFormatPart[]): string =>
  parts
    .map(({ value }) => value)
    .join('')
    .trim()
    .replaceAll(' ', '\u00a0')

const DAY = { day: 'numeric', month: 'short', timeZone: 'UTC' } as const
const WHOLE = new Intl.DateTimeFormat(undefined, { ...DAY, year: 'numeric' })
const WITHOUT_YEAR = new Intl.DateTimeFormat(undefined, DAY)

/** A day such as 2026-01-31 in the browser's locale. */
export const showDay = (day: string): string => WHOLE.format(new Date(day))
export const showDayOfYear = (day: string): string => WITHOUT_YEAR.format(new Date(day))
