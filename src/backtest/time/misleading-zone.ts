import { isTimeZone } from '../../kernel/time-zone.ts'

/* Names of IANA time zones whose offset differs from the offset that the name suggests. */

/** The database reverses the sign, as POSIX does: Etc/GMT+2 is west of Greenwich. */
const REVERSED = /^Etc\/GMT([+-])([1-9]\d?)$/i

/** Zones without daylight saving time, named like the winter time of zones with it. */
const WITHOUT_DAYLIGHT_SAVING = new Map([
  ['EST', 'UTC-05:00 at all times; America/New_York has daylight saving time'],
  ['MST', 'UTC-07:00 at all times; America/Denver has daylight saving time'],
])

/** Describes the zone, and names the zone that may be meant, if that zone exists. Null if the name does not mislead. */
export function misleadingZone(name: string): string | null {
  const [, sign, digits] = REVERSED.exec(name) ?? []
  if (sign === undefined || digits === undefined)
    return WITHOUT_DAYLIGHT_SAVING.get(name.toUpperCase()) ?? null
  const hours = `${digits.padStart(2, '0')}:00`
  const opposite = sign === '+' ? '-' : '+'
  const meant = `Etc/GMT${opposite}${digits}`
  const hint = isTimeZone(meant) ? `; UTC${sign}${hours} is ${meant}` : ''
  return `UTC${opposite}${hours} at all times${hint}`
}
