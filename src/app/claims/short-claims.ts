import { claimIdOf } from '../../storage/claims/candidate-id.ts'
import { type ClaimAndLog, type ClaimNamed, readShortClaims } from '../../storage/claims/claim-log.ts'
import type { Database } from '../../storage/database/database.ts'
import { THE_SERVICE } from '../../storage/database/lending/places.ts'
import { GroupedWork } from '../grouped-work.ts'

/** Claims that one statement reads: with their contracts and logs a megabyte at most. */
const MOST = 64

/** Claims that are asked for, if they are short; those that are asked for at the same time are read together. */
export type ShortClaims = GroupedWork<ClaimNamed, ClaimAndLog | 'long' | null>

export const newShortClaims = ({ reads, distribution }: Database): ShortClaims =>
  new GroupedWork({
    db: reads.for(THE_SERVICE),
    run: readShortClaims,
    room: MOST,
    weight: () => 1,
    homeOf: ({ address }) => distribution.shardOf(claimIdOf(address)),
  })
