import { isTimeZone } from '../kernel/time-zone.ts'
import type { Connection } from '../platform/database/connection.ts'
import { countCalendars, readCalendarTimeZones, readEndingCalendars } from './doctor-store.ts'
import { type Finding, fault, ok, warning } from './finding.ts'
import { HOLIDAYS_END_WITHIN_DAYS, MAX_REPORTED_CALENDARS } from './limits.ts'

/** Checks that this server knows the time zones of calendars, and that their holidays go on. */
export async function checkCalendars(db: Connection): Promise<Finding> {
  const what = 'Calendars'
  const count = await countCalendars(db)
  if (count === 0) return ok(what, 'none')
  if (typeof Temporal === 'undefined') {
    const found = `there are ${count}, and this Node (${process.versions.node}) has no Temporal to compute working time`
    return fault(what, found, 'Run the service with Node 26 or newer.')
  }
  const unknown = (await readCalendarTimeZones(db)).filter((name) => !isTimeZone(name))
  if (unknown.length > 0) {
    const found = `this Node (${process.versions.node}) does not know the time zones ${unknown.join(', ')}`
    return fault(what, found, 'Run the service with the Node of the other servers.')
  }
  const ending = await readEndingCalendars(db, HOLIDAYS_END_WITHIN_DAYS, MAX_REPORTED_CALENDARS + 1)
  if (ending.length === 0)
    return ok(what, `${count}, whose holidays do not end within ${HOLIDAYS_END_WITHIN_DAYS} days`)
  const named = ending.slice(0, MAX_REPORTED_CALENDARS).map(({ id, last }) => `${id} on ${last}`)
  return warning(
    what,
    `the holidays of some of ${count} end within ${HOLIDAYS_END_WITHIN_DAYS} days, or have ended: ${named.join(', ')}${ending.length > named.length ? ', …' : ''}`,
    'Inform the owners of the calendars: contracts count later holidays as working time.',
  )
}
