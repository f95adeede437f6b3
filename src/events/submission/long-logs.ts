import { setTimeout as pause } from 'node:timers/promises'
import { readLongLog } from '../../claims/long-log-store.ts'
import type { Evidence } from '../../core/claims/event.ts'
import { runCooperatively } from '../../platform/concurrency/cooperative.ts'
import { KeyedMutex } from '../../platform/concurrency/keyed-mutex.ts'
import type { Database } from '../../platform/database/database.ts'
import { type ClaimCopies, type ClaimCopy, copyOf } from './claim-copies.ts'

const PAUSE_AFTER_FAILURE_MS = 250

/**
 * Makes copies of claims with long logs: megabytes are read outside of the lanes, piece by piece, with a connection
 * of the account's share and for one claim of an account at a time. So nobody else waits for them.
 */
export class LongLogs {
  readonly #db: Database
  readonly #copies: ClaimCopies
  readonly #mutex = new KeyedMutex()

  constructor(db: Database, copies: ClaimCopies) {
    this.#db = db
    this.#copies = copies
  }

  /**
   * Resolves when the copy is kept, or could not be made: never rejects.
   * @param isWanted asked when its turn comes: nothing is read for those who have gone
   */
  load(userId: string, claimId: string, isWanted: () => boolean): Promise<void> {
    return this.#mutex
      .runExclusive(userId, async () => {
        if (isWanted()) await this.#load(userId, claimId)
      })
      .catch(() => pause(PAUSE_AFTER_FAILURE_MS, undefined, { ref: false }))
  }

  #load(userId: string, claimId: string): Promise<void> {
    return this.#db.reads.for(userId).withConnection(async (connection) => {
      const copies: ClaimCopy[] = []
      await readLongLog(connection, claimId, {
        onClaim: (claim) => copies.push(copyOf(claim)),
        onDecisive: (events) => runCooperatively(addEach(copies[0] as ClaimCopy, events)),
      })
      for (const copy of copies) this.#copies.keepIfNewer(copy)
    })
  }
}

/** A step for each. */
function* addEach(copy: ClaimCopy, events: readonly Evidence[]): Generator<void, void> {
  for (const event of events) {
    copy.log = copy.log.with(event)
    yield
  }
}
