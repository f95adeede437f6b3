/* The periods of a time zone in which clocks have one offset from UTC, by the time zone data of the runtime. */

import { DAY_MS } from '../../kernel/durations.ts'
import { MAX_CACHED_TIME_ZONES } from '../limits.ts'
import { firstWhere } from './binary-search.ts'

/** From `startMs` until the next period starts, clocks show UTC plus `offsetMs`. */
export interface Period {
  startMs: number
  offsetMs: number
}

/** The first period has no start: times before 1970 count with its offset. */
const FIRST_MS = -2 * DAY_MS

/** A time zone as far as its periods have been read. */
export interface Zone {
  periods: Period[]
  /** At the start of the last known period. Null if clocks do not change after it. */
  last: Temporal.ZonedDateTime | null
}

/** Calendars of one time zone share them. */
const zones = new Map<string, Zone>()

/** The number of the period that contains the time. Periods are numbered in order, from 0 on. */
export function numberOfPeriodAt(ms: number, zone: Zone): number {
  while (zone.last && (zone.periods.at(-1) as Period).startMs <= ms) readNext(zone)
  return indexAt(zone.periods, ms)
}

/** Undefined after the last period. A zone that keeps changing its clocks has no last period. */
export function periodOf(number: number, zone: Zone): Period | undefined {
  while (zone.last && zone.periods.length <= number) readNext(zone)
  return zone.periods[number]
}

/** The index of the last period that starts at or before the time. */
const indexAt = (periods: readonly Period[], ms: number): number =>
  firstWhere(1, periods.length, (i) => (periods[i] as Period).startMs > ms) - 1

function readNext(zone: Zone): void {
  const next = zone.last?.getTimeZoneTransition('next') ?? null
  zone.last = next
  if (next) zone.periods.push({ startMs: next.epochMilliseconds, offsetMs: offsetOf(next) })
}

const offsetOf = (time: Temporal.ZonedDateTime): number => time.offsetNanoseconds / 1e6

/** @throws RangeError if the runtime does not know the time zone */
export function zoneOf(timeZone: string): Zone {
  const found = zones.get(timeZone)
  if (found) return found
  const first = Temporal.Instant.fromEpochMilliseconds(FIRST_MS).toZonedDateTimeISO(timeZone)
  const made: Zone = {
    periods: [{ startMs: Number.NEGATIVE_INFINITY, offsetMs: offsetOf(first) }],
    last: first,
  }
  const [oldest] = zones.keys()
  if (oldest !== undefined && zones.size >= MAX_CACHED_TIME_ZONES) zones.delete(oldest)
  zones.set(timeZone, made)
  return made
}
