import type { Batcher } from '../platform/concurrency/batcher.ts'
import type { Database } from '../platform/database/database.ts'
import { SERVICE } from '../platform/database/pool/pooled-connection.ts'
import { newClaimBatcher } from '../platform/database/statement-batcher.ts'
import { claimIdOf } from './claim-ids.ts'
import { type ClaimAndLog, type ClaimNamed, readShortClaims } from './claim-log-store.ts'
import { MAX_SHORT_CLAIMS_PER_READ } from './limits.ts'

/** Reads claims with their logs; of a long claim it returns `'long'`. Requests that arrive at the same time share a statement. */
export type ShortClaims = Batcher<ClaimNamed, ClaimAndLog | 'long' | null>

export const newShortClaims = (db: Database): ShortClaims =>
  newClaimBatcher(db, {
    db: db.reads.for(SERVICE),
    run: readShortClaims,
    maxWeight: MAX_SHORT_CLAIMS_PER_READ,
    weightOf: () => 1,
    claimIdOf: ({ address }) => claimIdOf(address),
    // Citus would split a statement about several shards.
    batchKeyOf: ({ address }) => db.distribution.shardOf(claimIdOf(address)),
  })
