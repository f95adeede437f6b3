/* Time zones by their names in the IANA time zone database, as far as the runtime knows them. */

/** Whether it is such a name, in any case of letters. */
export function isTimeZone(name: string): boolean {
  // The runtime takes offsets such as +02:00 too; to PostgreSQL they mean the opposite.
  if (!/^[A-Za-z]/.test(name)) return false
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }) !== undefined
  } catch {
    return false
  }
}

/** What clocks show there at the time, to the millisecond and without a zone: 2026-01-31T13:00:00.000. */
export function localTime(time: Date, timeZone: string): string {
  return new Date(readClock(time, timeZone)).toISOString().slice(0, -1)
}

/** The day there at the time, such as 2026-01-31. */
export const dayAt = (time: Date, timeZone: string): string => localTime(time, timeZone).slice(0, 10)

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
  const offsetAt = (ms: number) => readClock(new Date(ms), timeZone) - ms
  // Clocks are changed once in two days at most.
  const [before, after] = [shown - offsetAt(shown - DAY_MS), shown - offsetAt(shown + DAY_MS)]
  const times = [before, after].filter((ms) => readClock(new Date(ms), timeZone) === shown)
  const ms = times.length > 0 ? Math.min(...times) : before
  return ms >= FIRST_MS && ms < AFTER_LAST_MS ? new Date(ms) : null
}

/** When the day begins there, or the one so many days after it: with the first moment of its date. */
export function startOfDay(day: string, timeZone: string, daysLater = 0): Date | null {
  const midnight = Date.parse(`${day}T00:00Z`) + daysLater * DAY_MS
  return Number.isNaN(midnight) ? null : timeAt(new Date(midnight).toISOString().slice(0, -1), timeZone)
}

/** What clocks show there, as milliseconds since clocks there showed the beginning of 1970. */
function readClock(time: Date, timeZone: string): number {
  const parts = new Intl.DateTimeFormat('en-GB', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  }).formatToParts(time)
  const read = (type: Intl.DateTimeFormatPartTypes) => Number(parts.find((part) => part.type === type)?.value)
  const [year, month, day] = [read('year'), read('month') - 1, read('day')]
  const wholeSeconds = Date.UTC(year, month, day, read('hour'), read('minute'), read('second'))
  return wholeSeconds + (((time.getTime() % 1000) + 1000) % 1000)
}
