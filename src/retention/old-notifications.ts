import type { App } from '../app.ts'
import { listAccounts, removeNotifications } from '../notifications/notification-removal-store.ts'
import { OldRecords } from './old-records.ts'

/** Notifications, which go account by account. */
export function oldNotifications(app: App, keptDays: number): OldRecords<{ id: string }> {
  const db = app.db.checks
  return new OldRecords(app, keptDays, {
    listOwners: (after, count) => listAccounts(db, after, count),
    removeBatch: ({ id }, before) => removeNotifications(db, id, before),
  })
}
