const ISO_TIME =
  /^(\d{4})[-/](\d\d)[-/](\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)([.,]\d+)?)?)? ?(Z|UTC|[+-]\d\d(?::?\d\d)?)?$/i
const UNIX_TIME = /^\d{9,13}(\.\d+)?$/
/** Above it a Unix time is in milliseconds: as seconds it would be in the year 5138. */
const MAX_UNIX_SECONDS = 1e11

/**
 * Milliseconds since 1970, or null. Takes ISO 8601 with a space, a slash or no zone as logs write it (no zone
 * is UTC: the order must not depend on the machine), and Unix times. `Date.parse` would also take "09-10-2012"
 * and guess which is the month. Digits below a millisecond count, or events would change places.
 */
export function parseTime(text: string): number | null {
  if (UNIX_TIME.test(text)) return Number(text) < MAX_UNIX_SECONDS ? Number(text) * 1000 : Number(text)
  const found = ISO_TIME.exec(text)
  if (!found) return null
  const [, year, month, day, hour = '00', minute = '00', second = '00', fraction = '', zone = 'Z'] = found
  const wallClock = `${year}-${month}-${day}T${hour}:${minute}:${second}`
  const time = Date.parse(`${wallClock}Z`)
  // A day that its month does not have is moved into the next month, which shows when it is written again.
  if (Number.isNaN(time) || !new Date(time).toISOString().startsWith(wallClock)) return null
  return time + Number(`0${fraction.replace(',', '.')}`) * 1000 - offsetMs(zone)
}

function offsetMs(zone: string): number {
  const found = /^([+-])(\d\d):?(\d\d)?$/.exec(zone)
  if (!found) return 0
  const [, sign, hours, minutes = '0'] = found
  return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * 60_000
}
