import { DAY_MS } from './durations.ts'

/* Time zones by their names in the IANA time zone database, as far as the runtime knows them. */

/** Names that runtimes keep from older versions, and that the database does not contain. */
const OTHER_NAMES =
  /^(?:SystemV\/.+|Canada\/East-Saskatchewan|US\/Pacific-New|ACT|AET|AGT|ART|AST|BET|BST|CAT|CNT|CST|CTT|EAT|ECT|IET|IST|JST|MIT|NET|NST|PLT|PNT|PRT|PST|SST|VST)$/i

/** Whether the name is a time zone. Case-insensitive. */
export function isTimeZone(name: string): boolean {
  // The runtime takes offsets such as +02:00 too.
  if (!/^[A-Za-z]/.test(name) || OTHER_NAMES.test(name)) return false
  try {
    return zoneOf(name) !== undefined
  } catch {
    return false
  }
}

/** The local time to the millisecond, without a zone: 2026-01-31T13:00:00.000. */
export const localTime = (time: Date, timeZone: string): string =>
  withoutZone(clockAt(time.getTime(), timeZone))

/** The range of times that the service accepts. */
const [FIRST_MS, AFTER_LAST_MS] = [0, Date.UTC(3000)]

/**
 * The instant of a local time. The first one if clocks show it twice because they are set back. A local time that
 * clocks skip because they are set forward is converted with the offset before the change. Null outside the range of
 * the service.
 */
export function timeAt(local: string, timeZone: string): Date | null {
  const shown = Date.parse(`${local}Z`)
  if (!(shown >= FIRST_MS - DAY_MS && shown < AFTER_LAST_MS + DAY_MS)) return null
  return timeInRange(momentOf(shown, timeZone).ms)
}

/** When clocks in a time zone show a local time, and how often: twice when clocks go back, never when they go forward. */
export interface LocalMoment {
  ms: number
  shown: 'once' | 'twice' | 'never'
}

/** @param shown the local time, in milliseconds since local 1970-01-01T00:00, of any year */
export function localMoment(shown: number, timeZone: string): LocalMoment {
  const { ms, isShown } = momentOf(shown, timeZone)
  if (!isShown) return { ms, shown: 'never' }
  const later = shown - offsetAt(shown + DAY_MS, timeZone)
  return { ms, shown: later !== ms && clockAt(later, timeZone) === shown ? 'twice' : 'once' }
}

/** When the day begins in the time zone, or the day `daysLater` after it. Null if the day does not exist or is out of range. */
export function startOfDay(day: string, timeZone: string, daysLater = 0): Date | null {
  const midnight = Date.parse(`${day}T00:00Z`) + daysLater * DAY_MS
  if (!(midnight >= FIRST_MS - DAY_MS && midnight < AFTER_LAST_MS + DAY_MS)) return null
  return timeInRange(startOf(midnight, timeZone))
}

/** The local date of the time, such as 2026-01-31. */
export const dayAt = (time: Date, timeZone: string): string => nameOf(midnightBefore(time, timeZone))

/** A date, such as 2026-01-31, and the instant at which it begins. */
export interface Day {
  day: string
  start: Date
}

/** The last `count` days until the day of the time, oldest first. */
export function lastDays(until: Date, timeZone: string, count: number): Day[] {
  const last = midnightBefore(until, timeZone)
  return Array.from({ length: count }, (_, i) => {
    const midnight = last - (count - 1 - i) * DAY_MS
    return { day: nameOf(midnight), start: new Date(startOf(midnight, timeZone)) }
  })
}

/* Local dates and times are milliseconds since local 1970-01-01T00:00, computed as if they were UTC. */

const withoutZone = (shown: number): string => new Date(shown).toISOString().slice(0, -1)
const nameOf = (midnight: number): string => withoutZone(midnight).slice(0, 10)

/** The local midnight of the time's date. */
function midnightBefore(time: Date, timeZone: string): number {
  const shown = clockAt(time.getTime(), timeZone)
  let midnight = Math.floor(shown / DAY_MS) * DAY_MS
  // Clocks that were set back over midnight show the old date again.
  while (startOf(midnight + DAY_MS, timeZone) <= time.getTime()) midnight += DAY_MS
  return midnight
}

/** The first instant of the date. If clocks skip the whole date, the first of the next date. */
function startOf(midnight: number, timeZone: string): number {
  const { ms, isShown } = momentOf(midnight, timeZone)
  return isShown ? ms : lastChange(ms, timeZone)
}

/** The first instant at which clocks show the local time. If they skip it, the instant with the offset before the change. */
function momentOf(shown: number, timeZone: string): { ms: number; isShown: boolean } {
  // Clocks change at most once in two days.
  const [before, after] = [
    shown - offsetAt(shown - DAY_MS, timeZone),
    shown - offsetAt(shown + DAY_MS, timeZone),
  ]
  if (before === after) return { ms: before, isShown: true }
  const ms = [before, after].find((ms) => clockAt(ms, timeZone) === shown)
  return { ms: ms ?? before, isShown: ms !== undefined }
}

/** The instant of the clock change in the day before the given instant. */
function lastChange(ms: number, timeZone: string): number {
  const offset = offsetAt(ms, timeZone)
  let [before, since] = [ms - DAY_MS, ms]
  while (since - before > 1) {
    const middle = Math.floor((before + since) / 2)
    if (offsetAt(middle, timeZone) === offset) since = middle
    else before = middle
  }
  return since
}

const timeInRange = (ms: number): Date | null => (ms >= FIRST_MS && ms < AFTER_LAST_MS ? new Date(ms) : null)

const clockAt = (ms: number, timeZone: string): number => ms + offsetAt(ms, timeZone)

/** Offset from UTC in milliseconds, positive to the east. */
function offsetAt(ms: number, timeZone: string): number {
  const { format, offsets } = zoneOf(timeZone)
  const found = offsets.get(ms)
  if (found !== undefined) return found
  const [, sign, hours = 0, minutes = 0, seconds = 0] = OFFSET.exec(format.format(ms)) as RegExpExecArray
  const ahead = (Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds)) * 1000
  const offset = sign === '-' ? -ahead : ahead
  if (offsets.size >= MAX_OFFSETS) offsets.clear()
  offsets.set(ms, offset)
  return offset
}

interface Zone {
  /** A format whose output ends with the offset. */
  format: Intl.DateTimeFormat
  /** By instant: requests for days repeat the same instants. */
  offsets: Map<number, number>
}

/** GMT, GMT+05:45, or historical GMT+00:19:32. */
const OFFSET = /GMT(?:([+-])(\d+):(\d+)(?::(\d+))?)?$/

/** Formats take time and memory to create. */
const zones = new Map<string, Zone>()
const [MAX_ZONES, MAX_OFFSETS] = [50, 1_000]

/** @throws RangeError if the runtime knows no such time zone */
function zoneOf(timeZone: string): Zone {
  const name = timeZone.toLowerCase()
  const found = zones.get(name)
  if (found) return found
  const format = new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' })
  const made = { format, offsets: new Map() }
  const [oldest] = zones.keys()
  if (oldest !== undefined && zones.size >= MAX_ZONES) zones.delete(oldest)
  zones.set(name, made)
  return made
}
