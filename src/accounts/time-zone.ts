import { validationError } from '../kernel/errors.ts'
import { isTimeZone } from '../kernel/time-zone.ts'
import type { Connection } from '../platform/database/connection.ts'
import { findTimeZone } from './user-store.ts'

/** @throws VALIDATION_ERROR at time_zone if it is no name of the IANA time zone database */
export function requireTimeZone(name: string): void {
  if (isTimeZone(name)) return
  const message = 'must be a name of the IANA time zone database, such as Europe/Berlin'
  throw validationError([{ path: 'time_zone', message }])
}

/**
 * The time zone in the letters of its name, which the database knows. Days are the runtime's, so that must know it too.
 * @throws VALIDATION_ERROR at time_zone if one of them does not
 */
export async function spellTimeZone(db: Connection, name: string): Promise<string> {
  requireTimeZone(name)
  const spelled = await findTimeZone(db, name)
  if (spelled === null)
    throw validationError([{ path: 'time_zone', message: 'is not known to the database' }])
  return spelled
}
