import {
  type Calendar,
  lengthOf,
  mergeSpans,
  timeOfDay,
  WEEKDAYS,
  type Weekday,
} from '../../../src/core/calendars/calendar.ts'

export const dayName = (day: Weekday): string => `${day[0]?.toUpperCase()}${day.slice(1)}`
export const shortDayName = (day: Weekday): string => dayName(day).slice(0, 3)

/** Mon–Fri 09:00–17:00; Sat 22:00–24:00. Days in a row with the same spans are together. */
export function weekInWords(weekly: Calendar['weekly']): string {
  const runs: { first: Weekday; last: Weekday; text: string }[] = []
  for (const day of WEEKDAYS) {
    const text = spansInWords(weekly[day] ?? [])
    const run = runs.at(-1)
    if (run?.text === text) run.last = day
    else runs.push({ first: day, last: day, text })
  }
  return runs
    .filter(({ text }) => text !== '')
    .map(({ first, last, text }) => `${daysInWords(first, last)} ${text}`)
    .join('; ')
}

const daysInWords = (first: Weekday, last: Weekday): string =>
  first === last ? shortDayName(first) : `${shortDayName(first)}–${shortDayName(last)}`

export const spansInWords = (spans: Parameters<typeof mergeSpans>[0]): string =>
  mergeSpans(spans)
    .map(({ startMs, endMs }) => `${timeOfDay(startMs)}–${timeOfDay(endMs)}`)
    .join(', ')

export const weekMs = (weekly: Calendar['weekly']): number =>
  WEEKDAYS.reduce((sum, day) => sum + lengthOf(mergeSpans(weekly[day] ?? [])), 0)

const HOURS = new Intl.NumberFormat(undefined, { maximumFractionDigits: 2 })

/** 7.5 of 27,000,000. */
export const hoursText = (ms: number): string => HOURS.format(ms / 3_600_000)

export const hoursAWeek = (ms: number): string =>
  ms === 3_600_000 ? '1 hour a week' : `${hoursText(ms)} hours a week`
