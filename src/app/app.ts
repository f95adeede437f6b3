import type { Database } from '../storage/database.ts'
import { SubmissionQueue } from './submission-queue.ts'
import { TokenOwners } from './token-owners.ts'

/** What every use case works on. */
export interface App {
  db: Database
  submissions: SubmissionQueue
  tokenOwners: TokenOwners
}

export function createApp(db: Database): App {
  return { db, submissions: new SubmissionQueue(db), tokenOwners: new TokenOwners(db) }
}
