import { claimIdOf } from '../../storage/claims/candidate-id.ts'
import { type ClaimAndLog, type ClaimNamed, readShortClaims } from '../../storage/claims/claim-log.ts'
import type { Database } from '../../storage/database/database.ts'
import { THE_SERVICE } from '../../storage/database/lending/places.ts'
import { GroupedByMachine } from '../groups/grouped-by-machine.ts'

/** Claims that one statement reads: with their contracts and logs a megabyte at most. */
const MOST = 64

/** Claims that are asked for, if they are short; those that are asked for at the same time are read together. */
export type ShortClaims = GroupedByMachine<ClaimNamed, ClaimAndLog | 'long' | null>

export const newShortClaims = (db: Database): ShortClaims =>
  new GroupedByMachine(db, {
    db: db.reads.for(THE_SERVICE),
    run: readShortClaims,
    room: MOST,
    weight: () => 1,
    claimIdOf: ({ address }) => claimIdOf(address),
    // Citus would read those of several shards in several statements.
    homeOf: ({ address }) => db.distribution.shardOf(claimIdOf(address)),
  })
