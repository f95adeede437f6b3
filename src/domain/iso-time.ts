/* Times in ISO 8601, as programs and people write them. */

export interface IsoTime {
  time: Date
  /** Without a zone it was read as UTC. */
  hasZone: boolean
}

/** A date, or a date with a time: seconds, their fraction and the zone may be left out. */
const FORM =
  /^(\d{4}-\d\d-\d\d)(?:[T ]([01]\d|2[0-3]):([0-5]\d)(?::([0-5]\d)(?:[.,](\d+))?)?(Z|[+-](?:[01]\d|2[0-3])(?::?[0-5]\d)?)?)?$/i

/**
 * Null if the text is of another form, or no such time exists: 30 February, 24:00, a leap second. `Date.parse` takes
 * 30 February for 2 March, and a time without a zone for one of the machine's zone. Digits below a millisecond are dropped.
 */
export function parseIsoTime(text: string): IsoTime | null {
  const [, day, hour = '00', minute = '00', second = '00', fraction = '', zone] = FORM.exec(text) ?? []
  if (day === undefined || !isDay(day)) return null
  const local = `${day}T${hour}:${minute}:${second}.${fraction.slice(0, 3).padEnd(3, '0')}`
  return { time: new Date(`${local}${offsetOf(zone)}`), hasZone: zone !== undefined }
}

/** Whether the calendar has the day, such as 2024-02-29. */
function isDay(day: string): boolean {
  const time = Date.parse(`${day}T00:00:00Z`)
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(day)
}

/** As `Date` reads it: Z, or +01:00. */
function offsetOf(zone = 'Z'): string {
  const [, sign, hours, minutes = '00'] = /^([+-])(\d\d):?(\d\d)?$/.exec(zone) ?? []
  return sign === undefined ? 'Z' : `${sign}${hours}:${minutes}`
}
