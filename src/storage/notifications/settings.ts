import { EVENT_TYPES } from '../../domain/notification-types.ts'
import type { NotificationSettings } from '../../domain/notifications.ts'
import type { Connection } from '../database/connection.ts'
import { isThere } from '../webhooks/endpoints.ts'

/** Of endpoints of webhooks; the index `webhook_endpoints_for_events` has the same. */
const NAMES_EVENTS = `w.types && '{${EVENT_TYPES.join(',')}}'::text[] AND ${isThere('w')}`

/** SQL for whether somebody of the account asks to be told of each event. By OFFSET it is looked up, and all who ask are not read. */
export const asksForEvents = (userId: string): string =>
  `(EXISTS (SELECT FROM notification_settings s WHERE s.user_id = ${userId} AND s.event_recorded OFFSET 0)
          OR EXISTS (SELECT FROM webhook_endpoints w WHERE w.user_id = ${userId} AND ${NAMES_EVENTS} OFFSET 0))`

export async function readNotificationSettings(
  db: Connection,
  userId: string,
): Promise<NotificationSettings> {
  const [row] = await db.query<{ event_recorded: boolean }>({
    name: 'read_notification_settings',
    text: `-- read_notification_settings
      SELECT event_recorded FROM notification_settings WHERE user_id = $1`,
    values: [userId],
    readOnly: true,
  })
  return { eventRecorded: row?.event_recorded ?? false }
}

export async function writeNotificationSettings(
  db: Connection,
  userId: string,
  { eventRecorded }: NotificationSettings,
): Promise<void> {
  await db.query({
    name: 'write_notification_settings',
    text: `-- write_notification_settings
      INSERT INTO notification_settings (user_id, event_recorded) VALUES ($1, $2)
      ON CONFLICT (user_id) DO UPDATE SET event_recorded = excluded.event_recorded`,
    values: [userId, eventRecorded],
  })
}
