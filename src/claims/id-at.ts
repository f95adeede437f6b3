import type { ClaimAddress } from '../core/claims/claim.ts'
import { claimIdOf } from './candidate-id.ts'

/** The id of the claim or candidate at this address, whether there is one or not: an alias alone is not told to logs. */
export const idAt = (address: ClaimAddress): string => claimIdOf(address)
