import { EVENT_TYPES } from '../../domain/notification-types.ts'
import type { NotificationSettings } from '../../domain/notifications.ts'
import type { ExpectedVersions, Versioned } from '../../domain/records.ts'
import type { Connection } from '../database/connection.ts'
import { isExpected, versionOf } from '../record-version.ts'
import { isThere } from '../webhooks/endpoints.ts'

/** Of endpoints of webhooks; the index `webhook_endpoints_for_events` has the same. */
const NAMES_EVENTS = `w.types && '{${EVENT_TYPES.join(',')}}'::text[] AND ${isThere('w')}`

/** SQL for whether somebody of the account asks to be told of each event. By OFFSET it is looked up, and all who ask are not read. */
export const asksForEvents = (userId: string): string =>
  `(EXISTS (SELECT FROM notification_settings s WHERE s.user_id = ${userId} AND s.event_recorded OFFSET 0)
          OR EXISTS (SELECT FROM webhook_endpoints w WHERE w.user_id = ${userId} AND ${NAMES_EVENTS} OFFSET 0))`

/** Those of an account that has said nothing are all false. */
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
 * False if they are of no version that is expected. Of two who find no row at once the second finds that of the first when
 * it inserts its own, and is judged by it.
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
