/* Time zones by their names in the IANA time zone database, as far as the runtime knows them. */

/** Which runtimes know of old, and that database does not, or not any more. */
const OTHER_NAMES =
  /^(?:SystemV\/.+|Canada\/East-Saskatchewan|US\/Pacific-New|ACT|AET|AGT|ART|AST|BET|BST|CAT|CNT|CST|CTT|EAT|ECT|IET|IST|JST|MIT|NET|NST|PLT|PNT|PRT|PST|SST|VST)$/i

/** Whether it is such a name, in any case of letters. */
export function isTimeZone(name: string): boolean {
  // The runtime takes offsets such as +02:00 too.
  if (!/^[A-Za-z]/.test(name) || OTHER_NAMES.test(name)) return false
  try {
    return zoneOf(name) !== undefined
  } catch {
    return false
  }
}

/** What clocks show there at the time, to the millisecond and without a zone: 2026-01-31T13:00:00.000. */
export const localTime = (time: Date, timeZone: string): string =>
  withoutZone(clockAt(time.getTime(), timeZone))

const DAY_MS = 86_400_000
/** The times that the service takes. */
const [FIRST_MS, AFTER_LAST_MS] = [0, Date.UTC(3000)]

/**
 * When clocks show that there: the first time if they do so twice, because they are set back. What they pass over, because
 * they are set forward, counts as if they had not been yet. Null if it is no time that the service takes.
 */
export function timeAt(local: string, timeZone: string): Date | null {
  const shown = Date.parse(`${local}Z`)
  if (!(shown >= FIRST_MS - DAY_MS && shown < AFTER_LAST_MS + DAY_MS)) return null
  return takenTime(momentOf(shown, timeZone).ms)
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
  return takenTime(startOf(midnight, timeZone))
}

/** The day there at the time, such as 2026-01-31. */
export const dayAt = (time: Date, timeZone: string): string => nameOf(midnightBefore(time, timeZone))

/** A day by its name, such as 2026-01-31, and the moment at which it begins. */
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

/* Days and what clocks show are counted as if it were UTC: in milliseconds since clocks there showed the beginning of 1970. */

const withoutZone = (shown: number): string => new Date(shown).toISOString().slice(0, -1)
const nameOf = (midnight: number): string => withoutZone(midnight).slice(0, 10)

/** With which the day there at the time begins. */
function midnightBefore(time: Date, timeZone: string): number {
  const shown = clockAt(time.getTime(), timeZone)
  let midnight = Math.floor(shown / DAY_MS) * DAY_MS
  // Clocks that were set back over midnight show the old date again.
  while (startOf(midnight + DAY_MS, timeZone) <= time.getTime()) midnight += DAY_MS
  return midnight
}

/** The first moment of the date, or of the next if clocks pass over the whole of it. */
function startOf(midnight: number, timeZone: string): number {
  const { ms, isShown } = momentOf(midnight, timeZone)
  return isShown ? ms : lastChange(ms, timeZone)
}

/** When clocks there show that first; if they pass over it, when they would if they had not been set forward yet. */
function momentOf(shown: number, timeZone: string): { ms: number; isShown: boolean } {
  // Clocks are changed once in two days at most.
  const [before, after] = [
    shown - offsetAt(shown - DAY_MS, timeZone),
    shown - offsetAt(shown + DAY_MS, timeZone),
  ]
  if (before === after) return { ms: before, isShown: true }
  const ms = [before, after].find((ms) => clockAt(ms, timeZone) === shown)
  return { ms: ms ?? before, isShown: ms !== undefined }
}

/** When clocks there were changed within the day before that moment. */
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

const takenTime = (ms: number): Date | null => (ms >= FIRST_MS && ms < AFTER_LAST_MS ? new Date(ms) : null)

const clockAt = (ms: number, timeZone: string): number => ms + offsetAt(ms, timeZone)

/** How far clocks there are ahead of UTC, in milliseconds. */
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
  /** What it writes ends with the offset. */
  format: Intl.DateTimeFormat
  /** By the time: who asks for days asks for the same ones again. */
  offsets: Map<number, number>
}

/** GMT alone, GMT+05:45, or GMT+00:19:32 of old. */
const OFFSET = /GMT(?:([+-])(\d+):(\d+)(?::(\d+))?)?$/

/** They take a while to make, and memory. */
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
