import type { Database } from '../storage/database.ts'

/** What every use case works on. */
export interface App {
  db: Database
}
