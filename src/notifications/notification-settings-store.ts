import type { NotificationSettings } from '../core/notifications.ts'
import type { ExpectedVersions, Versioned } from '../core/records.ts'
import type { Connection } from '../platform/database/connection.ts'
import { isExpected, versionOf } from '../platform/database/record-version.ts'

/** Defaults to false for an account without stored settings. */
export async function readNotificationSettings(
  db: Connection,
  userId: string,
): Promise<Versioned<NotificationSettings>> {
  const [row] = await db.query<{ event_recorded: boolean; version: string }>({
    name: 'read_notification_settings',
    text: `-- read_notification_settings
      SELECT event_recorded, ${versionOf('event_recorded')} AS version FROM (
        SELECT coalesce(
          (SELECT event_recorded FROM notification_settings WHERE user_id = $1), false
        ) AS event_recorded
      ) AS settings`,
    values: [userId],
    readOnly: true,
  })
  const { event_recorded, version } = row as NonNullable<typeof row>
  return { eventRecorded: event_recorded, version }
}

/**
 * Returns false if the settings have none of the expected versions. If two concurrent changes find no row, the second
 * finds the row of the first at its insert, and is compared with it.
 */
export async function writeNotificationSettings(
  db: Connection,
  userId: string,
  { eventRecorded }: NotificationSettings,
  expected: ExpectedVersions,
): Promise<boolean> {
  const rows = await db.query({
    name: 'write_notification_settings',
    text: `-- write_notification_settings
      INSERT INTO notification_settings AS s (user_id, event_recorded)
      SELECT $1, $2
      WHERE ${isExpected(versionOf('false'), '$3')} OR EXISTS (SELECT FROM notification_settings WHERE user_id = $1)
      ON CONFLICT (user_id) DO UPDATE SET event_recorded = excluded.event_recorded
      WHERE ${isExpected(versionOf('s.event_recorded'), '$3')}
      RETURNING s.user_id`,
    values: [userId, eventRecorded, expected],
  })
  return rows.length > 0
}
