/*
 * A parser of times in the extended format of ISO 8601, in the variants that libraries of other languages write: seconds are
 * optional; a fraction has any number of digits after a point or a comma; white space may replace the T and precede the
 * offset; the minutes and the colon of the offset are optional.
 */
import { isDay, offsetMs, wallClockMs } from './wall-clock.ts'

/** An example for messages. */
export const SOME_TIME = '2026-01-31T09:30:00.000Z'

const [FIRST_MS, AFTER_LAST_MS] = [0, Date.UTC(3000)]

const ISO_TIME =
  /^(\d{4})-(\d\d)-(\d\d)[Tt\s](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d+))?)?([Zz]|\s?[+-]\d\d(?::?\d\d)?)?$/
const STARTS_WITH_DATE = /^\d{4}-\d\d-\d\d/
const STARTS_WITH_DATE_AND_TIME = /^\d{4}-\d\d-\d\d[Tt\s]\d\d:\d\d/

export interface IsoTime {
  /** Whole milliseconds since 1970. Without a zone, as if it were UTC. NaN if there is a fault. */
  ms: number
  /** The digits below a millisecond, from 0 to 1. Not added to `ms`: a double would round up to the next millisecond. */
  belowMs: number
  hasZone: boolean
  /** Null if the day, the time of day and the offset exist; else what does not, such as "names the hour 24…". */
  fault: string | null
}

/** The time in milliseconds; further digits are dropped. For any other text a message that says what is wrong. */
export function parseIsoTime(text: string): Date | string {
  const written = readIsoTime(text)
  if (typeof written === 'string') return written
  const { ms, hasZone, fault } = written
  if (!hasZone) return NO_ZONE
  if (fault !== null) return fault
  return ms >= FIRST_MS && ms < AFTER_LAST_MS ? new Date(ms) : 'must be from 1970 to 2999'
}

const NO_ZONE = `must have a zone at the end, Z or an offset such as +01:00: ${SOME_TIME}`

/** Reads a time with or without a zone. For a text of another form a message that says what is wrong. */
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
  if (!STARTS_WITH_DATE.test(text)) return `must be a time as ISO 8601 with a zone, such as ${SOME_TIME}`
  if (!STARTS_WITH_DATE_AND_TIME.test(text))
    return `must have a time of day and a zone after the date, such as ${SOME_TIME}`
  return NO_ZONE
}
