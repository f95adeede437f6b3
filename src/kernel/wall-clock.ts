/* Local dates and times in the proleptic Gregorian calendar, as milliseconds since 1970 as if they were in UTC. */

const DAY_MS = 86_400_000
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
  return daysSince1970(year, month, day) * DAY_MS + hour * 3_600_000 + minute * 60_000 + second * 1000
}

export const isDay = (year: number, month: number, day: number): boolean =>
  month >= 1 && month <= 12 && day >= 1 && day <= daysIn(year, month)

/** The distance of two doubles near the year 3000. */
const STEP_MS = 2 ** -8

/** Adds digits below a millisecond for the order of events. They never round up to the next millisecond, and so to the next day. */
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

/** The year begins in March, so that the leap day is its last day. `Date.UTC` takes years below 100 for 19xx. */
function daysSince1970(year: number, month: number, day: number): number {
  const y = month <= 2 ? year - 1 : year
  const dayOfYear = Math.floor((153 * ((month + 9) % 12) + 2) / 5) + day - 1
  return y * 365 + Math.floor(y / 4) - Math.floor(y / 100) + Math.floor(y / 400) + dayOfYear - 719_468
}

/** The offset from UTC of a zone such as Z, UTC, +01 or -0530; NaN if it does not exist. */
export function offsetMs(zone: string): number {
  const found = /^([+-])(\d\d):?(\d\d)?$/.exec(zone)
  if (!found) return 0
  const [, sign, hours, minutes = '0'] = found
  if (Number(hours) > 23 || Number(minutes) > 59) return Number.NaN
  return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * 60_000
}
