/* Dates and times of day as the calendar has them, in milliseconds since 1970 as if they were in UTC. */

const DAY_MS = 86_400_000
const DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]

/** NaN if a part is not of the calendar, or is NaN itself. */
export function wallClockMs(
  year: number,
  month: number,
  day: number,
  hour: number,
  minute: number,
  second: number,
): number {
  // Written so that a NaN fails too.
  if (!(month >= 1 && month <= 12 && day >= 1 && day <= daysIn(year, month))) return Number.NaN
  if (!(hour <= 23 && minute <= 59 && second <= 59)) return Number.NaN
  return daysSince1970(year, month, day) * DAY_MS + hour * 3_600_000 + minute * 60_000 + second * 1000
}

/** Of doubles up to the year 3000, the step between two. */
const STEP_MS = 2 ** -8

/**
 * Adds the digits of a fraction of a second. Digits below a millisecond count for the order alone: they never make the next
 * millisecond, as 23:59:59.9999999 would be rounded to the next day.
 */
export function withFraction(ms: number, digits: string): number {
  const whole = ms + Number(digits.slice(0, 3).padEnd(3, '0'))
  const exact = whole + Number(`0.${digits.slice(3)}`)
  return exact < whole + 1 ? exact : whole + 1 - STEP_MS
}

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

/** How far a zone such as Z, UTC, +01 or -0530 is ahead of UTC; NaN if there is no such zone. */
export function offsetMs(zone: string): number {
  const found = /^([+-])(\d\d):?(\d\d)?$/.exec(zone)
  if (!found) return 0
  const [, sign, hours, minutes = '0'] = found
  if (Number(hours) > 23 || Number(minutes) > 59) return Number.NaN
  return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * 60_000
}
