import type { Database } from '../platform/database/database.ts'
import { GroupedByMachine } from '../platform/database/groups/grouped-by-machine.ts'
import { SERVICE } from '../platform/database/pool/pooled-connection.ts'
import { claimIdOf } from './claim-ids.ts'
import { type ClaimAndLog, type ClaimNamed, readShortClaims } from './claim-log-store.ts'

/** Claims that one statement reads: with their contracts and logs a megabyte at most. */
const MOST = 64

/** Claims that are asked for, if they are short; those that are asked for at the same time are read together. */
export type ShortClaims = GroupedByMachine<ClaimNamed, ClaimAndLog | 'long' | null>

export const newShortClaims = (db: Database): ShortClaims =>
  new GroupedByMachine(db, {
    db: db.reads.for(SERVICE),
    run: readShortClaims,
    room: MOST,
    weight: () => 1,
    claimIdOf: ({ address }) => claimIdOf(address),
    // Citus would read those of several shards in several statements.
    homeOf: ({ address }) => db.distribution.shardOf(claimIdOf(address)),
  })
