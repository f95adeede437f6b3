/*
 * A parser of times in the extended format of ISO 8601, in the variants that libraries of other languages write: seconds are
 * optional; a fraction has any number of digits after a point or a comma; white space may replace the T and precede the
 * offset; the minutes and the colon of the offset are optional.
 */
import { DAY_MS, HOUR_MS, MINUTE_MS } from './durations.ts'

/** An example for messages. */
export const EXAMPLE_TIME = '2026-01-31T09:30:00.000Z'

const [FIRST_MS, AFTER_LAST_MS] = [0, Date.UTC(3000)]

const ISO_TIME =
  /^(\d{4})-(\d\d)-(\d\d)[Tt\s](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d+))?)?([Zz]|\s?[+-]\d\d(?::?\d\d)?)?$/
const STARTS_WITH_DATE = /^\d{4}-\d\d-\d\d/
const STARTS_WITH_DATE_AND_TIME = /^\d{4}-\d\d-\d\d[Tt\s]\d\d:\d\d/

export interface IsoTime {
  /** Whole milliseconds since 1970. Without a zone, as UTC. NaN for an invalid time. */
  ms: number
  /** The rest below a millisecond, from 0 to less than 1. Separate, because the sum can round up to the next millisecond. */
  belowMs: number
  hasZone: boolean
  /** Null if the time exists. Otherwise the message. */
  fault: string | null
}

/** The time in milliseconds; further digits are dropped. For an invalid text a message that says why. */
export function parseIsoTime(text: string): Date | string {
  const parsed = readIsoTime(text)
  if (typeof parsed === 'string') return parsed
  const { ms, hasZone, fault } = parsed
  if (!hasZone) return NO_ZONE
  if (fault !== null) return fault
  return ms >= FIRST_MS && ms < AFTER_LAST_MS ? new Date(ms) : 'must be from 1970 to 2999'
}

const NO_ZONE = `must have a zone at the end, Z or an offset such as +01:00: ${EXAMPLE_TIME}`

/** Reads a time with or without a zone. For an invalid text a message that says why. */
export function readIsoTime(text: string): IsoTime | string {
  const found = ISO_TIME.exec(text)
  if (found === null) return wrongForm(text)
  const [, year, month, day, hour, minute, second = '0', fraction = '', zone = ''] = found
  const local = wallClockMs(
    Number(year),
    Number(month),
    Number(day),
    Number(hour),
    Number(minute),
    Number(second),
  )
  const ms = local + Number(fraction.slice(0, 3).padEnd(3, '0')) - offsetMs(zone.trim())
  const belowMs = Number(`0.${fraction.slice(3)}`)
  return { ms, belowMs, hasZone: zone !== '', fault: Number.isNaN(ms) ? faultOf() : null }

  function faultOf(): string {
    if (!isDay(Number(year), Number(month), Number(day)))
      return `names a day that does not exist, ${text.slice(0, 10)}`
    if (Number(hour) > 23) return `names the hour ${hour}; hours go from 00 to 23`
    if (second === '60') return 'names the second 60: leap seconds are not accepted'
    if (Number(minute) > 59 || Number(second) > 59) return 'names a minute or second beyond 59'
    return `has an offset that does not exist, ${zone.trim()}`
  }
}

function wrongForm(text: string): string {
  if (!STARTS_WITH_DATE.test(text)) return `must be a time as ISO 8601 with a zone, such as ${EXAMPLE_TIME}`
  if (!STARTS_WITH_DATE_AND_TIME.test(text))
    return `must have a time of day and a zone after the date, such as ${EXAMPLE_TIME}`
  return NO_ZONE
}

/* Local dates and times in the proleptic Gregorian calendar, as milliseconds since 1970 as if they were in UTC. */

const DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]

/** NaN if a part does not exist in the calendar or is NaN. `second` may have a fraction. */
export function wallClockMs(
  year: number,
  month: number,
  day: number,
  hour: number,
  minute: number,
  second: number,
): number {
  if (!isDay(year, month, day)) return Number.NaN
  // NaN fails this condition too.
  if (!(hour <= 23 && minute <= 59 && second < 60)) return Number.NaN
  return daysSince1970(year, month, day) * DAY_MS + hour * HOUR_MS + minute * MINUTE_MS + second * 1000
}

const isDay = (year: number, month: number, day: number): boolean =>
  month >= 1 && month <= 12 && day >= 1 && day <= daysIn(year, month)

/** The spacing of doubles near the year 3000. */
const STEP_MS = 2 ** -8

/** Adds the rest below a millisecond. The result is less than `ms + 1`. */
export function withBelowMs(ms: number, belowMs: number): number {
  const exact = ms + belowMs
  return exact < ms + 1 ? exact : ms + 1 - STEP_MS
}

/** Adds the digits of a fraction of a second. */
export const withFraction = (ms: number, digits: string): number =>
  withBelowMs(ms + Number(digits.slice(0, 3).padEnd(3, '0')), Number(`0.${digits.slice(3)}`))

function daysIn(year: number, month: number): number {
  const isLeap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0
  return month === 2 && isLeap ? 29 : (DAYS[month - 1] as number)
}

/** The year begins in March, so that the leap day is its last day. Not `Date.UTC`: it reads the years 0 to 99 as 1900 to 1999. */
function daysSince1970(year: number, month: number, day: number): number {
  const y = month <= 2 ? year - 1 : year
  const dayOfYear = Math.floor((153 * ((month + 9) % 12) + 2) / 5) + day - 1
  return y * 365 + Math.floor(y / 4) - Math.floor(y / 100) + Math.floor(y / 400) + dayOfYear - 719_468
}

/** The offset from UTC of a zone such as Z, UTC, +01 or -0530; NaN if it does not exist, 0 for text that is not an offset. */
export function offsetMs(zone: string): number {
  const found = /^([+-])(\d\d):?(\d\d)?$/.exec(zone)
  if (!found) return 0
  const [, sign, hours, minutes = '0'] = found
  if (Number(hours) > 23 || Number(minutes) > 59) return Number.NaN
  return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * 60_000
}
