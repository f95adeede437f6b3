import { createHash } from 'node:crypto'
import type { ClaimAddress } from '../core/claims/claim.ts'

/** The id of the candidate with this alias. */
export const candidateId = (alias: string): string => namedUuid('candidate_alias', alias)

/** The id of the account's claim with this reference, even if it does not exist. */
export const idOfReference = (userId: string, reference: string): string =>
  namedUuid('reference', `${userId}:${reference}`)

/**
 * The seed of the record at this place of a request with an idempotency key. A claim without a reference has the seed
 * as its id.
 */
export const seedOfPlace = (seed: string, place: number): string => namedUuid('place', `${seed}:${place}`)

/**
 * A name-based UUID (version 8, RFC 9562) over SHA-256.
 * @param kind separates names of different kinds
 */
export function namedUuid(kind: string, name: string): string {
  const bytes = createHash('sha256').update(`claimkeeper/${kind}:`).update(name).digest().subarray(0, 16)
  bytes[6] = ((bytes[6] as number) & 0x0f) | 0x80
  bytes[8] = ((bytes[8] as number) & 0x3f) | 0x80
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}

/** The id of the claim or candidate at this address, even if it does not exist. */
export const claimIdOf = (address: ClaimAddress): string =>
  address.kind === 'claim' ? address.id : candidateId(address.alias)
