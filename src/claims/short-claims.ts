import type { Batcher } from '../platform/concurrency/batcher.ts'
import type { Database } from '../platform/database/database.ts'
import { SERVICE_ACCOUNT } from '../platform/database/pool/pooled-connection.ts'
import { newClaimBatcher } from '../platform/database/statement-batcher.ts'
import { claimIdOf } from './claim-ids.ts'
import { type ClaimAndLog, type ClaimKey, readShortClaims } from './claim-log-store.ts'
import { MAX_SHORT_CLAIMS_PER_READ } from './limits.ts'

/**
 * Reads claims with their logs. Requests that arrive at the same time share a statement. The result is `'long'` for a claim whose log
 * is too large for a shared statement (`SHORT_LOG`), and null for a missing claim.
 */
export type ShortClaimBatcher = Batcher<ClaimKey, ClaimAndLog | 'long' | null>

export const newShortClaimBatcher = (db: Database): ShortClaimBatcher =>
  newClaimBatcher(db, {
    db: db.reads.for(SERVICE_ACCOUNT),
    run: readShortClaims,
    maxWeight: MAX_SHORT_CLAIMS_PER_READ,
    weightOf: () => 1,
    claimIdOf: ({ address }) => claimIdOf(address),
    // Citus runs a statement about several shards as one statement for each shard, so sharing it would save nothing.
    batchKeyOf: ({ address }) => db.distribution.shardOf(claimIdOf(address)),
  })
