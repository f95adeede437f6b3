import { validationError } from '../../errors.ts'

/** @throws VALIDATION_ERROR at time_zone if it is no name of the IANA time zone database */
export function requireTimeZone(name: string): void {
  if (!isTimeZone(name)) {
    const message = 'must be a name of the IANA time zone database, such as Europe/Berlin'
    throw validationError([{ path: 'time_zone', message }])
  }
}

function isTimeZone(name: string): boolean {
  // Offsets such as +02:00 would pass below, and mean the opposite to PostgreSQL.
  if (!/^[A-Za-z]/.test(name)) return false
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }) !== undefined
  } catch {
    return false
  }
}
