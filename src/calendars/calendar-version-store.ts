import type { Actor, CalendarVersion } from '../core/records.ts'
import type { Connection } from '../platform/database/connection.ts'

interface CalendarVersionRow extends Omit<CalendarVersion, 'calendarId' | 'createdAt' | 'madeBy'> {
  calendar_id: string
  created_at: Date
  made_by: Actor | null
}

const toCalendarVersion = ({
  calendar_id,
  created_at,
  made_by,
  ...row
}: CalendarVersionRow): CalendarVersion => ({
  ...row,
  calendarId: calendar_id,
  createdAt: created_at,
  madeBy: made_by,
})

const COLUMNS = 'calendar_id, number, name, time_zone, weekly, holidays, exceptions, created_at, made_by'

/** The current version is in the calendar's own row. */
const VERSIONS = `(
        SELECT id AS calendar_id, version_number AS number, name, time_zone, weekly, holidays, exceptions,
          version_at AS created_at, version_by AS made_by
        FROM calendars WHERE user_id = $1 AND id = $2
        UNION ALL
        SELECT ${COLUMNS} FROM calendar_versions WHERE user_id = $1 AND calendar_id = $2
      ) AS versions`

/** The calendar's next versions below a number, newest first. */
export async function listCalendarVersions(
  db: Connection,
  userId: string,
  calendarId: string,
  below: number,
  limit: number,
): Promise<CalendarVersion[]> {
  const rows = await db.query<CalendarVersionRow>({
    name: 'list_calendar_versions',
    text: `-- list_calendar_versions
      SELECT ${COLUMNS} FROM ${VERSIONS} WHERE number < $3::bigint ORDER BY number DESC LIMIT $4`,
    values: [userId, calendarId, below, limit],
    readOnly: true,
  })
  return rows.map(toCalendarVersion)
}

/** Null if the calendar has no such version. */
export async function findCalendarVersion(
  db: Connection,
  userId: string,
  calendarId: string,
  number: number,
): Promise<CalendarVersion | null> {
  const [row] = await db.query<CalendarVersionRow>({
    name: 'find_calendar_version',
    text: `-- find_calendar_version
      SELECT ${COLUMNS} FROM ${VERSIONS} WHERE number = $3`,
    values: [userId, calendarId, number],
    readOnly: true,
  })
  return row ? toCalendarVersion(row) : null
}
