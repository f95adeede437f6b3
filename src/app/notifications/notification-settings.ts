import type { NotificationSettings } from '../../domain/notifications.ts'
import { readNotificationSettings, writeNotificationSettings } from '../../storage/notifications/settings.ts'
import type { App } from '../app.ts'

export const getNotificationSettings = (app: App, userId: string): Promise<NotificationSettings> =>
  readNotificationSettings(app.db.reads.for(userId), userId)

/** Those that are not given stay as they are. It holds for what is written once this has returned. */
export async function changeNotificationSettings(
  app: App,
  userId: string,
  { eventRecorded }: { [Key in keyof NotificationSettings]: NotificationSettings[Key] | undefined },
): Promise<NotificationSettings> {
  if (eventRecorded !== undefined) {
    await writeNotificationSettings(app.db.writes.for(userId), userId, { eventRecorded })
  }
  return getNotificationSettings(app, userId)
}
