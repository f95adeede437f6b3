import { isMigrated } from '../storage/migrate.ts'
import type { App } from './app.ts'

/** Whether the database is reachable and migrated. */
export function isReady(app: App): Promise<boolean> {
  return isMigrated(app.db.checks)
}
