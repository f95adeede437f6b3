import { validationError } from '../kernel/errors.ts'
import { isTimeZone } from '../kernel/time-zone.ts'
import type { Connection } from '../platform/database/connection.ts'
import { findTimeZone } from './user-store.ts'

/** @throws VALIDATION_ERROR at time_zone if the runtime does not know the name */
export function requireTimeZone(name: string): void {
  if (isTimeZone(name)) return
  const message = 'must be a name of the IANA time zone database, such as Europe/Berlin'
  throw validationError([{ path: 'time_zone', message }])
}

/**
 * The name of the time zone in the database's spelling. The runtime must know the name too, because it computes days.
 * @throws VALIDATION_ERROR at time_zone if the runtime or the database does not know the name
 */
export async function spellTimeZone(db: Connection, name: string): Promise<string> {
  requireTimeZone(name)
  const spelled = await findTimeZone(db, name)
  if (spelled === null)
    throw validationError([{ path: 'time_zone', message: 'is not known to the database' }])
  return spelled
}
