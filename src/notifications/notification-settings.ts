import { type App, inTransaction } from '../app.ts'
import { changedSince } from '../core/changed-since.ts'
import type { NotificationSettings } from '../core/notifications.ts'
import type { ExpectedVersions, Versioned } from '../core/records.ts'
import { readNotificationSettings, writeNotificationSettings } from './notification-settings-store.ts'

export const getNotificationSettings = (app: App, userId: string): Promise<Versioned<NotificationSettings>> =>
  readNotificationSettings(app.db.reads.for(userId), userId)

/**
 * Those that are not given stay as they are. It holds for what is written once this has returned.
 * @throws PRECONDITION_FAILED
 */
export async function changeNotificationSettings(
  app: App,
  userId: string,
  { eventRecorded }: { [Key in keyof NotificationSettings]: NotificationSettings[Key] | undefined },
  expected: ExpectedVersions,
): Promise<Versioned<NotificationSettings>> {
  if (eventRecorded !== undefined) {
    return inTransaction(app, userId, async (within) => {
      const db = within.db.writes.for(userId)
      if (!(await writeNotificationSettings(db, userId, { eventRecorded }, expected)))
        throw changedSince('settings')
      return getNotificationSettings(within, userId)
    })
  }
  const settings = await getNotificationSettings(app, userId)
  if (expected !== null && !expected.includes(settings.version)) throw changedSince('settings')
  return settings
}
