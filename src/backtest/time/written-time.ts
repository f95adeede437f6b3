import { type IsoTime, readIsoTime, wallClockMs, withBelowMs } from '../../kernel/iso-time.ts'

/** A time as a log writes it. */
export interface WrittenTime extends Pick<IsoTime, 'hasZone' | 'fault'> {
  /** With the digits below a millisecond. Without a zone, as if it were UTC. NaN if there is a fault. */
  ms: number
  /** False for a date alone, which is read as 00:00. */
  hasTimeOfDay: boolean
}

const DATE = /^(\d{4})[-/](\d\d)[-/](\d\d)/
const UTC = / ?(?:UTC|Z)$/i
/** Not with an offset, as XML Schema allows: "2026-01-31-14" and "2026-01-31-14:30" may have a time of day. */
const DATE_ALONE = /^(\d{4}-\d\d-\d\d)(?=Z?$)/
const ZONE_NAME = /(?<=:\d\d\S* ?(?:Z|[+-]\d\d(?::?\d\d)?))\[[\w+/-]+\]$/i

const inIso = (text: string): string =>
  text.replace(ZONE_NAME, '').replace(DATE, '$1-$2-$3').replace(UTC, 'Z')

/**
 * ISO 8601, and what logs write besides: slashes in the date, "UTC" for Z, a date alone, and the name of a zone in brackets
 * after its offset (RFC 9557). Null if the text is not such a time.
 * `Date.parse` would also take "09-10-2012" and guess which number is the month.
 */
export function parseWrittenTime(text: string): WrittenTime | null {
  let time = readIsoTime(text)
  let hasTimeOfDay = true
  if (typeof time === 'string') {
    const iso = inIso(text)
    hasTimeOfDay = !DATE_ALONE.test(iso)
    time = readIsoTime(iso.replace(DATE_ALONE, '$1T00:00'))
  }
  return typeof time === 'string' ? null : { ...time, ms: withBelowMs(time.ms, time.belowMs), hasTimeOfDay }
}

/**
 * A fast path for the two forms that nearly every log has, `2026-01-31T09:30:00Z` and the same with milliseconds: without
 * regular expressions, because it runs once per row. NaN for any other text.
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

/** The number of one or two digits; NaN if they are not digits. */
function digits(text: string, at: number, count: 1 | 2 = 2): number {
  const first = text.charCodeAt(at) - 48
  const second = count === 2 ? text.charCodeAt(at + 1) - 48 : 0
  if (first < 0 || first > 9 || second < 0 || second > 9) return Number.NaN
  return count === 2 ? first * 10 + second : first
}
