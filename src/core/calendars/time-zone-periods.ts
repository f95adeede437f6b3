/* The periods of a time zone in which clocks have one offset from UTC, by the time zone data of the runtime. */

/** From `startMs` until the next period starts, clocks show UTC plus `offsetMs`. */
export interface Period {
  startMs: number
  offsetMs: number
}

/** The first period has no start: times before 1970 count with its offset. */
const FIRST_MS = -2 * 86_400_000

interface Zone {
  periods: Period[]
  /** At the start of the last known period. Null if clocks do not change after it. */
  last: Temporal.ZonedDateTime | null
}

/** Zones in the cache. A zone with two clock changes a year until 2999 takes up to 100 KB. */
const MAX_ZONES = 50
const zones = new Map<string, Zone>()

/**
 * The periods from the one that contains `fromMs` on, in order. Endless if the zone keeps changing its clocks.
 * @throws RangeError if the runtime does not know the time zone
 */
export function* periodsFrom(fromMs: number, timeZone: string): Generator<Period> {
  const zone = zoneOf(timeZone)
  while (zone.last && periodAt(zone, -1).startMs <= fromMs) readNext(zone)
  for (let i = indexAt(zone.periods, fromMs); ; i++) {
    if (i === zone.periods.length) readNext(zone)
    const period = zone.periods[i]
    if (!period) return
    yield period
  }
}

const periodAt = ({ periods }: Zone, i: number): Period => periods.at(i) as Period

/** The index of the last period that starts at or before the time. */
function indexAt(periods: readonly Period[], ms: number): number {
  let [low, high] = [0, periods.length - 1]
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if ((periods[middle] as Period).startMs <= ms) low = middle
    else high = middle - 1
  }
  return low
}

function readNext(zone: Zone): void {
  const next = zone.last?.getTimeZoneTransition('next') ?? null
  zone.last = next
  if (next) zone.periods.push({ startMs: next.epochMilliseconds, offsetMs: offsetOf(next) })
}

const offsetOf = (time: Temporal.ZonedDateTime): number => time.offsetNanoseconds / 1e6

function zoneOf(timeZone: string): Zone {
  const found = zones.get(timeZone)
  if (found) return found
  const first = Temporal.Instant.fromEpochMilliseconds(FIRST_MS).toZonedDateTimeISO(timeZone)
  const made: Zone = {
    periods: [{ startMs: Number.NEGATIVE_INFINITY, offsetMs: offsetOf(first) }],
    last: first,
  }
  const [oldest] = zones.keys()
  if (oldest !== undefined && zones.size >= MAX_ZONES) zones.delete(oldest)
  zones.set(timeZone, made)
  return made
}
