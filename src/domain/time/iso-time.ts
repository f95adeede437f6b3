/*
 * A parser of times in the extended format of ISO 8601 with a zone, in the variants that libraries of other languages write:
 * seconds are optional; a fraction has any number of digits after a point or a comma; white space may replace the T and
 * precede the offset; the minutes and the colon of the offset are optional.
 */

/** An example for messages. */
export const SOME_TIME = '2026-01-31T09:30:00.000Z'

const [FIRST_MS, AFTER_LAST_MS] = [0, Date.UTC(3000)]

const DATE = /^(\d{4})-(\d\d)-(\d\d)/
const CLOCK = /^[Tt\s](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d+))?)?/
const ZONE = /^(?:[Zz]|\s?([+-])(\d\d)(?::?(\d\d))?)$/

/** The time in milliseconds; further digits are dropped. For any other text a message that says what is wrong. */
export function parseIsoTime(text: string): Date | string {
  const [date, year, month, day] = DATE.exec(text) ?? []
  if (date === undefined) return `must be a time as ISO 8601 with a zone, such as ${SOME_TIME}`
  const [clock, hour, minute, second = '0', fraction = ''] = CLOCK.exec(text.slice(date.length)) ?? []
  if (clock === undefined) return `must have a time of day and a zone after the date, such as ${SOME_TIME}`
  const [zone, sign, hours = '0', minutes = '0'] = ZONE.exec(text.slice(date.length + clock.length)) ?? []
  if (zone === undefined) return `must have a zone at the end, Z or an offset such as +01:00: ${SOME_TIME}`

  if (!isDay(Number(year), Number(month), Number(day))) return `names a day that does not exist, ${date}`
  if (Number(hour) > 23) return `names the hour ${hour}; hours go from 00 to 23`
  if (second === '60') return 'names the second 60: leap seconds are not accepted'
  if (Number(minute) > 59 || Number(second) > 59) return 'names a minute or second beyond 59'
  if (Number(hours) > 23 || Number(minutes) > 59) return `has an offset that does not exist, ${zone.trim()}`

  const local = Date.UTC(
    Number(year),
    Number(month) - 1,
    Number(day),
    Number(hour),
    Number(minute),
    Number(second),
  )
  const offsetMinutes = (Number(hours) * 60 + Number(minutes)) * (sign === '-' ? -1 : 1)
  const ms = local + Number(fraction.slice(0, 3).padEnd(3, '0')) - offsetMinutes * 60_000
  return ms >= FIRST_MS && ms < AFTER_LAST_MS ? new Date(ms) : 'must be from 1970 to 2999'
}

/** Of the proleptic Gregorian calendar. Unlike `Date.UTC`, years below 100 are not of the 20th century. */
function isDay(year: number, month: number, day: number): boolean {
  const isLeap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0
  const days = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1]
  return days !== undefined && day >= 1 && day <= days
}
