const ISO_TIME =
  /^(\d{4})[-/](\d\d)[-/](\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)([.,]\d+)?)?)? ?(Z|UTC|[+-]\d\d(?::?\d\d)?)?$/i
const UNIX_TIME = /^\d{9,13}(\.\d+)?$/
/** Above it a Unix time is in milliseconds: as seconds it would be in the year 5138. */
const MAX_UNIX_SECONDS = 1e11

/**
 * Milliseconds since 1970, or null. Takes ISO 8601 as logs write it (a space or a slash; no zone is UTC: the
 * result must not depend on the machine), and Unix times. `Date.parse` would also take "09-10-2012" and guess
 * which is the month. Digits below a millisecond count, or events would change places.
 */
export function parseTime(text: string): number | null {
  const common = parseCommonTime(text)
  if (common !== null) return common
  if (UNIX_TIME.test(text)) return Number(text) < MAX_UNIX_SECONDS ? Number(text) * 1000 : Number(text)
  const found = ISO_TIME.exec(text)
  if (!found) return null
  const [, year, month, day, hour = '00', minute = '00', second = '00', fraction = '', zone = 'Z'] = found
  const time = wallClockMs(`${year}-${month}-${day}T${hour}:${minute}:${second}`)
  const offset = offsetMs(zone)
  if (time === null || offset === null) return null
  return time + Number(`0${fraction.replace(',', '.')}`) * 1000 - offset
}

/** The two forms that nearly every log has, without a regular expression: this runs once a row. */
function parseCommonTime(text: string): number | null {
  if (text.length === 20 && text.charCodeAt(19) === 90) return wallClockMs(text)
  if (text.length !== 24 || text.charCodeAt(23) !== 90 || text.charCodeAt(19) !== 46) return null
  const time = wallClockMs(text)
  const milliseconds = digits(text, 20) * 10 + digits(text, 22, 1)
  return time === null || Number.isNaN(milliseconds) ? null : time + milliseconds
}

/** "2026-01-31T09:30:00" at the start of the text, in UTC; null if a part is not of the calendar. */
function wallClockMs(text: string): number | null {
  const separator = text.charCodeAt(10)
  const hasSeparators = text.charCodeAt(4) === 45 && text.charCodeAt(7) === 45 && text.charCodeAt(13) === 58
  if (!hasSeparators || text.charCodeAt(16) !== 58 || (separator !== 84 && separator !== 32)) return null
  const year = digits(text, 0) * 100 + digits(text, 2)
  const month = digits(text, 5)
  const day = digits(text, 8)
  const [hour, minute, second] = [digits(text, 11), digits(text, 14), digits(text, 17)]
  // Written so that a NaN fails too.
  if (!(month >= 1 && month <= 12 && day >= 1 && day <= daysIn(year, month))) return null
  if (!(hour <= 23 && minute <= 59 && second <= 59)) return null
  return daysSince1970(year, month, day) * 86_400_000 + hour * 3_600_000 + minute * 60_000 + second * 1000
}

/** The number that two (or one) digits write; NaN if they are not digits. */
function digits(text: string, at: number, count: 1 | 2 = 2): number {
  const first = text.charCodeAt(at) - 48
  const second = count === 2 ? text.charCodeAt(at + 1) - 48 : 0
  if (first < 0 || first > 9 || second < 0 || second > 9) return Number.NaN
  return count === 2 ? first * 10 + second : first
}

const DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]

function daysIn(year: number, month: number): number {
  const isLeap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0
  return month === 2 && isLeap ? 29 : (DAYS[month - 1] as number)
}

/** Days of the Gregorian calendar, counted from March so that the leap day is a year's last. */
function daysSince1970(year: number, month: number, day: number): number {
  const y = month <= 2 ? year - 1 : year
  const dayOfYear = Math.floor((153 * ((month + 9) % 12) + 2) / 5) + day - 1
  return y * 365 + Math.floor(y / 4) - Math.floor(y / 100) + Math.floor(y / 400) + dayOfYear - 719_468
}

function offsetMs(zone: string): number | null {
  const found = /^([+-])(\d\d):?(\d\d)?$/.exec(zone)
  if (!found) return 0
  const [, sign, hours, minutes = '0'] = found
  if (Number(hours) > 23 || Number(minutes) > 59) return null
  return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * 60_000
}
