import { offsetMs, wallClockMs, withFraction } from './wall-clock.ts'

const ISO_TIME =
  /^(\d{4})[-/](\d\d)[-/](\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d+))?)?)? ?(?:(Z|UTC|[+-]\d\d(?::?\d\d)?)(?:\[[\w+/-]+\])?)?$/i

/** A time as it is written: with the zone that it names, or as clocks show it. NaN if it is of no day or hour. */
export interface WrittenTime {
  ms: number
  hasZone: boolean
}

/**
 * ISO 8601 as logs write it: with a space or a slash, with or without seconds and zone, and with the name of the zone in
 * brackets behind its offset (RFC 9557). Null if it is no such time.
 * `Date.parse` would also take "09-10-2012" and guess which is the month.
 */
export function parseWrittenTime(text: string): WrittenTime | null {
  const found = ISO_TIME.exec(text)
  if (!found) return null
  const [, year, month, day, hour = 0, minute = 0, second = 0, fraction = '', zone] = found
  const ms = wallClockMs(
    Number(year),
    Number(month),
    Number(day),
    Number(hour),
    Number(minute),
    Number(second),
  )
  return { ms: withFraction(ms - offsetMs(zone ?? 'Z'), fraction), hasZone: zone !== undefined }
}

/**
 * The two forms that nearly every log has, `2026-01-31T09:30:00Z` and the same with milliseconds, without a regular
 * expression: this runs once a row. NaN for any other text.
 */
export function parseCommonTime(text: string): number {
  if (text.length === 20 && text.charCodeAt(19) === 90) return secondsIn(text, 0)
  if (text.length !== 24 || text.charCodeAt(23) !== 90 || text.charCodeAt(19) !== 46) return Number.NaN
  return secondsIn(text, digits(text, 20) * 10 + digits(text, 22, 1))
}

function secondsIn(text: string, milliseconds: number): number {
  const separator = text.charCodeAt(10)
  const hasSeparators = text.charCodeAt(4) === 45 && text.charCodeAt(7) === 45 && text.charCodeAt(13) === 58
  if (!hasSeparators || text.charCodeAt(16) !== 58 || (separator !== 84 && separator !== 32))
    return Number.NaN
  const year = digits(text, 0) * 100 + digits(text, 2)
  const [month, day] = [digits(text, 5), digits(text, 8)]
  const [hour, minute, second] = [digits(text, 11), digits(text, 14), digits(text, 17)]
  return wallClockMs(year, month, day, hour, minute, second) + milliseconds
}

/** The number that two (or one) digits write; NaN if they are not digits. */
function digits(text: string, at: number, count: 1 | 2 = 2): number {
  const first = text.charCodeAt(at) - 48
  const second = count === 2 ? text.charCodeAt(at + 1) - 48 : 0
  if (first < 0 || first > 9 || second < 0 || second > 9) return Number.NaN
  return count === 2 ? first * 10 + second : first
}
