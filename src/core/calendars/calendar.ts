import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../kernel/durations.ts'
import { wallClockMs } from '../../kernel/iso-time.ts'

/** In the order of a week. */
export const WEEKDAYS = [
  'monday',
  'tuesday',
  'wednesday',
  'thursday',
  'friday',
  'saturday',
  'sunday',
] as const
export type Weekday = (typeof WEEKDAYS)[number]

/** Times of day as HH:MM: the start is included, the end is excluded and may be 24:00. */
export type Span = readonly [start: string, end: string]

/** Working time in a time zone (§2.15). The fields keep the names of the wire. */
export interface Calendar {
  name: string
  /** A name of the IANA time zone database. */
  time_zone: string
  /** A weekday that is left out has no working time. */
  weekly: Partial<Record<Weekday, readonly Span[]>>
  /** Dates without working time, as YYYY-MM-DD. */
  holidays: readonly string[]
  /** The spans of single dates. They replace the spans of the weekday or holiday. */
  exceptions: Readonly<Record<string, readonly Span[]>>
}

/** The part of a calendar that decides what is working time. */
export type WorkingHours = Omit<Calendar, 'name'>

/** Sorts weekdays and dates, and removes repeated dates. The working time stays the same. */
export function normalizeHours<Hours extends Partial<WorkingHours>>(hours: Hours): Hours {
  const { weekly, holidays, exceptions } = hours
  return {
    ...hours,
    ...(weekly && { weekly: pick(weekly, WEEKDAYS) }),
    ...(holidays && { holidays: [...new Set(holidays)].sort() }),
    ...(exceptions && { exceptions: pick(exceptions, Object.keys(exceptions).sort()) }),
  }
}

const pick = <Value>(record: Readonly<Record<string, Value>>, names: readonly string[]) =>
  Object.fromEntries(names.filter((name) => Object.hasOwn(record, name)).map((name) => [name, record[name]]))

/** Days since 1970-01-01 of a date such as 2026-01-31. NaN if there is no such date from 1970 to 2999. */
export function dayOf(date: string): number {
  const found = /^((?:19[7-9]|2\d\d)\d)-(\d\d)-(\d\d)$/.exec(date)
  if (!found) return Number.NaN
  const [year, month, day] = found.slice(1).map(Number) as [number, number, number]
  return wallClockMs(year, month, day, 0, 0, 0) / DAY_MS
}

export const dateOf = (day: number): string => new Date(day * DAY_MS).toISOString().slice(0, 10)

export const weekdayOf = (day: number): Weekday => WEEKDAYS[mod(day + 3, 7)] as Weekday

const mod = (n: number, by: number): number => ((n % by) + by) % by

/** Milliseconds since midnight of a time such as 13:30 or 24:00. NaN if there is no such time. */
export function timeOfDayMs(text: string): number {
  const found = /^([01]\d|2[0-3]):([0-5]\d)$|^24:00$/.exec(text)
  if (!found) return Number.NaN
  const [, hours = '24', minutes = '0'] = found
  return Number(hours) * HOUR_MS + Number(minutes) * MINUTE_MS
}

/** A time of day such as 13:30 or 24:00. @param ms milliseconds since midnight, whole minutes */
export function timeOfDay(ms: number): string {
  const minutes = ms / 60_000
  return [Math.floor(minutes / 60), minutes % 60].map((part) => String(part).padStart(2, '0')).join(':')
}

/** In milliseconds: since a local midnight, or since 1970 for instants. */
export interface Interval {
  startMs: number
  endMs: number
}

/** Sorts the spans, and merges spans that overlap or touch. */
export function mergeSpans(spans: readonly Span[]): Interval[] {
  const merged: Interval[] = []
  const sorted = spans
    .map(([start, end]) => ({ startMs: timeOfDayMs(start), endMs: timeOfDayMs(end) }))
    .sort((a, b) => a.startMs - b.startMs)
  for (const span of sorted) {
    const last = merged.at(-1)
    if (last && span.startMs <= last.endMs) last.endMs = Math.max(last.endMs, span.endMs)
    else merged.push(span)
  }
  return merged
}

export const lengthOf = (intervals: readonly Interval[]): number =>
  intervals.reduce((sum, { startMs, endMs }) => sum + endMs - startMs, 0)
