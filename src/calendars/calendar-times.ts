import { LRUCache } from 'lru-cache'
import {
  ELAPSED_TIME,
  type TimeMeasure,
  type WorkingTime,
  workingTime,
} from '../core/calendars/working-time.ts'
import type { ClockTerms, Contract } from '../core/contracts/contract.ts'
import { calendarNotFound, calendarVersionNotFound } from '../core/record-errors.ts'
import type { CalendarVersion } from '../core/records.ts'
import type { Connection } from '../platform/database/connection.ts'
import { findCalendar } from './calendar-store.ts'
import { findCalendarVersion } from './calendar-version-store.ts'
import { MAX_CACHED_VERSIONS } from './limits.ts'

function computeWorkingTime(version: CalendarVersion): WorkingTime {
  try {
    return workingTime(version)
  } catch (cause) {
    const { calendarId, number } = version
    throw new RangeError(
      `The working time of version ${number} of the calendar ${calendarId} cannot be computed: ${(cause as Error).message}`,
      { cause },
    )
  }
}

export type CalendarReference = NonNullable<ClockTerms['calendar']>

/**
 * The working time of calendar versions. A version never changes, so it is cached: the `MAX_CACHED_VERSIONS` most
 * recently used versions.
 */
export class CalendarTimes {
  readonly #times = new LRUCache<string, WorkingTime>({ max: MAX_CACHED_VERSIONS })

  /**
   * How time passes under the contract of a claim. The contract of a claim names the version of its calendar.
   * @throws RangeError if the version is missing, although versions are never removed, or its working time cannot be
   *   computed: this server may know other time zones than the one that stored the calendar
   */
  async ofContract(db: Connection, userId: string, { clock }: Contract): Promise<TimeMeasure> {
    return clock?.calendar ? this.ofCalendar(db, userId, clock.calendar) : ELAPSED_TIME
  }

  async ofCalendar(
    db: Connection,
    userId: string,
    { id, version = 0 }: CalendarReference,
  ): Promise<WorkingTime> {
    const key = `${userId} ${id} ${version}`
    const cached = this.#times.get(key)
    if (cached) return cached
    const found = await findCalendarVersion(db, userId, id, version)
    if (!found) throw new RangeError(`version ${version} of the calendar ${id} is missing`)
    const time = computeWorkingTime(found)
    this.#times.set(key, time)
    return time
  }
}

/**
 * The version of the calendar of a new claim: the current one if the contract names none.
 * @throws CALENDAR_NOT_FOUND, also for a deleted calendar; CALENDAR_VERSION_NOT_FOUND
 */
export async function findVersionOfNewClaim(
  db: Connection,
  userId: string,
  { id, version }: CalendarReference,
): Promise<number> {
  const calendar = await findCalendar(db, userId, id)
  if (!calendar || calendar.deletedAt) throw calendarNotFound(id, calendar?.deletedAt ?? undefined)
  const { versionNumber } = calendar
  if (version !== undefined && version > versionNumber) {
    throw calendarVersionNotFound(id, version, versionNumber)
  }
  return version ?? versionNumber
}

/** Sets the version of the calendar that the contract names. */
export const withVersion = (contract: Contract, calendar: CalendarReference, version: number): Contract => ({
  ...contract,
  clock: { ...contract.clock, calendar: { ...calendar, version } },
})

/**
 * The contract of a new claim, with the version of its calendar.
 * @throws CALENDAR_NOT_FOUND, also for a deleted calendar; CALENDAR_VERSION_NOT_FOUND
 */
export async function withCalendarVersion(
  db: Connection,
  userId: string,
  contract: Contract,
): Promise<Contract> {
  const calendar = contract.clock?.calendar
  return calendar
    ? withVersion(contract, calendar, await findVersionOfNewClaim(db, userId, calendar))
    : contract
}
