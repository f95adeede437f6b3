import { v7 as uuidv7 } from 'uuid'
import { actorSql } from '../accounts/tokens/actor-store.ts'
import type { Calendar } from '../core/calendars/calendar.ts'
import { MAX_CALENDAR_VERSIONS } from '../core/limits.ts'
import type { CalendarRecord, ExpectedVersions, Versioned } from '../core/records.ts'
import { NOW } from '../platform/database/clock.ts'
import type { Connection } from '../platform/database/connection.ts'
import { Parameters } from '../platform/database/parameters.ts'
import { isExpected, versionOf } from '../platform/database/record-version.ts'

interface CalendarRow extends Calendar {
  id: string
  user_id: string
  version_number: number
  created_at: Date
  version_at: Date
  deleted_at: Date | null
}

const COLUMNS =
  'id, user_id, version_number, name, time_zone, weekly, holidays, exceptions, created_at, version_at, deleted_at'
const VERSION = versionOf('id', 'version_number', 'deleted_at IS NULL')

const toCalendar = (row: CalendarRow): CalendarRecord => ({
  id: row.id,
  userId: row.user_id,
  versionNumber: row.version_number,
  name: row.name,
  time_zone: row.time_zone,
  weekly: row.weekly,
  holidays: row.holidays,
  exceptions: row.exceptions,
  createdAt: row.created_at,
  updatedAt: row.version_at,
  deletedAt: row.deleted_at,
})

type VersionedRow = Versioned<CalendarRow>

const toVersioned = (row: VersionedRow): Versioned<CalendarRecord> => ({
  ...toCalendar(row),
  version: row.version,
})

/**
 * Null if the account has the maximum number, including deleted calendars. Concurrent inserts do not count each
 * other: an account may exceed the limit by as many calendars as connections write at once.
 * @param tokenHash SHA-256 of the token of the request; null for a session
 */
export async function insertCalendar(
  db: Connection,
  userId: string,
  calendar: Calendar,
  tokenHash: Buffer | null,
  maxCalendars: number,
): Promise<Versioned<CalendarRecord> | null> {
  const { name, time_zone, weekly, holidays, exceptions } = calendar
  const query = new Parameters()
  const columns = query.row({
    user_id: userId,
    id: uuidv7(),
    name,
    time_zone,
    weekly: JSON.stringify(weekly),
    holidays: JSON.stringify(holidays),
    exceptions: JSON.stringify(exceptions),
  })
  const [row] = await db.query<VersionedRow>({
    name: 'insert_calendar',
    text: `-- insert_calendar
      INSERT INTO calendars (${columns.names}, created_at, version_at, version_by)
      SELECT ${columns.parameters}, now, now, ${actorSql(query.parameter(tokenHash))} FROM ${NOW} AS now
      WHERE (SELECT count(*) FROM calendars WHERE user_id = ${query.parameter(userId)}) < ${query.parameter(maxCalendars)}
      RETURNING ${COLUMNS}, ${VERSION} AS version`,
    values: query.values,
  })
  return row ? toVersioned(row) : null
}

/** Finds deleted calendars too. Null if the account has no calendar with this id. */
export async function findCalendar(
  db: Connection,
  userId: string,
  id: string,
): Promise<Versioned<CalendarRecord> | null> {
  const [row] = await db.query<VersionedRow>({
    name: 'find_calendar',
    text: `-- find_calendar
      SELECT ${COLUMNS}, ${VERSION} AS version FROM calendars WHERE user_id = $1 AND id = $2`,
    values: [userId, id],
    readOnly: true,
  })
  return row ? toVersioned(row) : null
}

/** The account's next calendars after a position that are not deleted, oldest first. */
export async function listCalendars(
  db: Connection,
  userId: string,
  after: string,
  limit: number,
): Promise<{ calendar: CalendarRecord; position: string }[]> {
  const rows = await db.query<CalendarRow & { position: string }>({
    name: 'list_calendars',
    text: `-- list_calendars
      SELECT ${COLUMNS}, position FROM calendars
      WHERE user_id = $1 AND position > $2 AND deleted_at IS NULL ORDER BY position LIMIT $3`,
    values: [userId, after, limit],
    readOnly: true,
  })
  return rows.map((row) => ({ calendar: toCalendar(row), position: row.position }))
}

/**
 * Changes the given fields and keeps the previous version, in one statement. A change without an effect makes no
 * version. Null if the calendar does not exist, is deleted, has none of the expected versions, or would have more
 * than `MAX_CALENDAR_VERSIONS`.
 * @param tokenHash SHA-256 of the token of the request; null for a session
 */
export async function updateCalendar(
  db: Connection,
  userId: string,
  id: string,
  { name, time_zone, weekly, holidays, exceptions }: Partial<Calendar>,
  tokenHash: Buffer | null,
  expected: ExpectedVersions,
): Promise<Versioned<CalendarRecord> | null> {
  const query = new Parameters()
  const user = query.parameter(userId)
  const calendar = query.parameter(id)
  const newJson = (value: object | undefined, column: string) =>
    `coalesce(${query.parameter(value && JSON.stringify(value))}::jsonb, ${column}) AS new_${column}`
  const [row] = await db.query<VersionedRow>({
    name: 'update_calendar',
    // Locked first: a change that waited for another change starts from its result.
    text: `-- update_calendar
      WITH held AS MATERIALIZED (
        SELECT version_number, name, time_zone, weekly, holidays, exceptions, version_at, version_by,
          coalesce(${query.parameter(name)}, name) AS new_name, coalesce(${query.parameter(time_zone)}, time_zone) AS new_time_zone,
          ${newJson(weekly, 'weekly')}, ${newJson(holidays, 'holidays')},
          ${newJson(exceptions, 'exceptions')}
        FROM calendars
        WHERE user_id = ${user} AND id = ${calendar} AND deleted_at IS NULL AND ${isExpected(VERSION, query.parameter(expected))} FOR UPDATE
      ), judged AS MATERIALIZED (
        SELECT * FROM (
          SELECT held.*, (name, time_zone, weekly, holidays, exceptions)
            IS DISTINCT FROM (new_name, new_time_zone, new_weekly, new_holidays, new_exceptions) AS is_other FROM held
        ) compared WHERE NOT is_other OR version_number < ${MAX_CALENDAR_VERSIONS}
      ), kept AS (
        INSERT INTO calendar_versions
          (user_id, calendar_id, number, name, time_zone, weekly, holidays, exceptions, created_at, made_by)
        SELECT ${user}, ${calendar}, version_number, name, time_zone, weekly, holidays, exceptions, version_at, version_by
        FROM judged WHERE is_other
      )
      UPDATE calendars SET
        name = new_name,
        time_zone = new_time_zone,
        weekly = new_weekly,
        holidays = new_holidays,
        exceptions = new_exceptions,
        version_number = version_number + is_other::integer,
        version_at = CASE WHEN is_other THEN ${NOW} ELSE version_at END,
        version_by = CASE WHEN is_other THEN ${actorSql(query.parameter(tokenHash))} ELSE version_by END
      FROM (SELECT new_name, new_time_zone, new_weekly, new_holidays, new_exceptions, is_other FROM judged) AS given
      WHERE user_id = ${user} AND id = ${calendar} RETURNING ${COLUMNS}, ${VERSION} AS version`,
    values: query.values,
  })
  return row ? toVersioned(row) : null
}

/** Keeps the versions. False if the calendar does not exist, is deleted, or has none of the expected versions. */
export async function deleteCalendar(
  db: Connection,
  userId: string,
  id: string,
  expected: ExpectedVersions,
): Promise<boolean> {
  const rows = await db.query({
    name: 'delete_calendar',
    text: `-- delete_calendar
      UPDATE calendars SET deleted_at = ${NOW}
      WHERE user_id = $1 AND id = $2 AND deleted_at IS NULL AND ${isExpected(VERSION, '$3')} RETURNING id`,
    values: [userId, id, expected],
  })
  return rows.length === 1
}
