import { isTimeZone, localTime, startOfDay, timeAt } from '../../src/kernel/time-zone.ts'

/** How times are shown in a time zone, and taken from fields. Those of the service are ISO 8601 in UTC. */
export interface LocalTime {
  timeZone: string
  /** As the reader writes it, with the zone beside it: 31 Jan 2026, 13:00:00 CET. A line may break before the hour alone. */
  show: (iso: string) => string
  /** What a `datetime-local` field holds. */
  toField: (iso: string) => string
  /** Null if it is empty or no time. */
  fromField: (text: string) => string | null
  /** When the day begins, such as 2026-01-31, or the one so many days after it; null if it is none. */
  startOfDay: (day: string, daysLater?: number) => string | null
}

const made = new Map<string, LocalTime>()

/** In UTC if the zone is not known: to this browser, or to a server of an older version. */
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
      return `${inOneLine(parts.slice(0, hour))} ${inOneLine(parts.slice(hour))}`.trim()
    },
    toField: (iso) => localTime(new Date(iso), timeZone).slice(0, 'YYYY-MM-DDTHH:MM'.length),
    fromField: (text) => timeAt(text, timeZone)?.toISOString() ?? null,
    startOfDay: (day, daysLater) => startOfDay(day, timeZone, daysLater)?.toISOString() ?? null,
  }
}

const inOneLine = (parts: Intl.DateTimeFormatPart[]): string =>
  parts
    .map(({ value }) => value)
    .join('')
    .trim()
    .replaceAll(' ', '\u00a0')

const DAY = { day: 'numeric', month: 'short', timeZone: 'UTC' } as const
const WHOLE = new Intl.DateTimeFormat(undefined, { ...DAY, year: 'numeric' })
const WITHOUT_YEAR = new Intl.DateTimeFormat(undefined, DAY)

/** A day of whatever zone, such as 2026-01-31, as the reader writes it. */
export const showDay = (day: string): string => WHOLE.format(new Date(day))
export const showDayOfYear = (day: string): string => WITHOUT_YEAR.format(new Date(day))
