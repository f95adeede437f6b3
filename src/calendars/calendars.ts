import { spellTimeZone } from '../accounts/time-zone.ts'
import { actorHash, type ByToken } from '../accounts/tokens/api-token.ts'
import { type Calendar, normalizeHours } from '../core/calendars/calendar.ts'
import { MAX_CALENDAR_VERSIONS } from '../core/limits.ts'
import { calendarNotFound, calendarVersionNotFound, changedSince } from '../core/record-errors.ts'
import type { CalendarRecord, CalendarVersion, ExpectedVersions, Versioned } from '../core/records.ts'
import { ServiceError } from '../kernel/errors.ts'
import type { Context } from '../platform/database/context.ts'
import {
  updateCalendar as changeCalendar,
  findCalendar,
  insertCalendar,
  listCalendars as readCalendars,
  deleteCalendar as removeCalendar,
} from './calendar-store.ts'
import {
  findCalendarVersion,
  listCalendarVersions as readCalendarVersions,
} from './calendar-version-store.ts'
import { PAGE_SIZE } from './limits.ts'

/** @param maxCalendars of an account, including deleted calendars. @throws CALENDAR_LIMIT_REACHED */
export async function createCalendar(
  context: Context,
  made: Calendar,
  by: ByToken,
  maxCalendars: number,
): Promise<Versioned<CalendarRecord>> {
  if (typeof Temporal === 'undefined') {
    throw new ServiceError('UNAVAILABLE', 'The server cannot compute working time: it needs Node 26.')
  }
  const { read, write, userId } = context
  const spelled = { ...normalizeHours(made), time_zone: await spellTimeZone(read, made.time_zone) }
  const calendar = await insertCalendar(write, userId, spelled, actorHash(by), maxCalendars)
  if (calendar) return calendar
  throw new ServiceError(
    'CALENDAR_LIMIT_REACHED',
    `The account has ${maxCalendars} calendars, the maximum; deleted calendars count.`,
  )
}

/** Finds deleted calendars too. @throws CALENDAR_NOT_FOUND */
export async function getCalendar({ read, userId }: Context, id: string): Promise<Versioned<CalendarRecord>> {
  const calendar = await findCalendar(read, userId, id)
  if (!calendar) throw calendarNotFound(id)
  return calendar
}

/**
 * All calendars of the account that are not deleted, oldest first. The next page is read when it is requested. A
 * calendar that is created meanwhile may be missing.
 */
export async function* listCalendars({ read, userId }: Context): AsyncGenerator<CalendarRecord[]> {
  for (let after = '0'; ; ) {
    const page = await readCalendars(read, userId, after, PAGE_SIZE)
    yield page.map(({ calendar }) => calendar)
    const last = page.at(-1)
    if (!last || page.length < PAGE_SIZE) return
    after = last.position
  }
}

/** The calendar's versions, newest first. The next page is read when it is requested. @throws CALENDAR_NOT_FOUND */
export async function listCalendarVersions(
  { read, userId }: Context,
  id: string,
): Promise<AsyncGenerator<CalendarVersion[]>> {
  const readBelow = (below: number) => readCalendarVersions(read, userId, id, below, PAGE_SIZE)
  const first = await readBelow(Number.MAX_SAFE_INTEGER)
  if (first.length === 0) throw calendarNotFound(id)
  return fromFirst(first, readBelow)
}

async function* fromFirst(
  first: CalendarVersion[],
  readBelow: (below: number) => Promise<CalendarVersion[]>,
): AsyncGenerator<CalendarVersion[]> {
  for (let page = first; ; ) {
    yield page
    const last = page.at(-1)
    if (!last || page.length < PAGE_SIZE) return
    page = await readBelow(last.number)
  }
}

/** @throws CALENDAR_NOT_FOUND, CALENDAR_VERSION_NOT_FOUND */
export async function getCalendarVersion(
  context: Context,
  id: string,
  number: number,
): Promise<CalendarVersion> {
  const version = await findCalendarVersion(context.read, context.userId, id, number)
  if (version) return version
  const { versionNumber } = await getCalendar(context, id)
  throw calendarVersionNotFound(id, number, versionNumber)
}

/**
 * Claims keep the version that they have.
 * @throws CALENDAR_NOT_FOUND, PRECONDITION_FAILED, CALENDAR_VERSION_LIMIT_REACHED
 */
export async function updateCalendar(
  context: Context,
  id: string,
  changes: Partial<Calendar>,
  by: ByToken,
  expected: ExpectedVersions,
): Promise<Versioned<CalendarRecord>> {
  const { read, write, userId } = context
  const { time_zone } = changes
  const spelled = {
    ...normalizeHours(changes),
    ...(time_zone === undefined ? {} : { time_zone: await spellTimeZone(read, time_zone) }),
  }
  const calendar = await changeCalendar(write, userId, id, spelled, actorHash(by), expected)
  if (!calendar) throw await reasonOf(context, id, expected)
  return calendar
}

/** Closes the calendar to new contracts. Its versions stay for claims. @throws CALENDAR_NOT_FOUND, PRECONDITION_FAILED */
export async function deleteCalendar(
  context: Context,
  id: string,
  expected: ExpectedVersions,
): Promise<void> {
  const isDone = await removeCalendar(context.write, context.userId, id, expected)
  if (!isDone) throw await reasonOf(context, id, expected)
}

/** Why a calendar was not changed or deleted. */
async function reasonOf(context: Context, id: string, expected: ExpectedVersions): Promise<ServiceError> {
  const { deletedAt, version, versionNumber } = await getCalendar(context, id)
  if (deletedAt) return calendarNotFound(id, deletedAt)
  if (versionNumber < MAX_CALENDAR_VERSIONS || (expected !== null && !expected.includes(version)))
    return changedSince('calendar')
  return new ServiceError(
    'CALENDAR_VERSION_LIMIT_REACHED',
    `The calendar ${id} has ${MAX_CALENDAR_VERSIONS} versions, the maximum. Nothing was changed.`,
  )
}
