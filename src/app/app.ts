import type { Database } from '../storage/database.ts'
import { HeldClocks } from './held-clocks.ts'
import { SubmissionQueue } from './submission-queue.ts'
import { TokenOwners } from './token-owners.ts'

/** What every use case works on. */
export interface App {
  db: Database
  submissions: SubmissionQueue
  heldClocks: HeldClocks
  tokenOwners: TokenOwners
}

export function createApp(db: Database): App {
  const heldClocks = new HeldClocks(db)
  return {
    db,
    submissions: new SubmissionQueue(db, heldClocks),
    heldClocks,
    tokenOwners: new TokenOwners(db),
  }
}
