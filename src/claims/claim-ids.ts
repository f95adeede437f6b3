import { createHash } from 'node:crypto'
import type { ClaimAddress } from '../core/claims/claim.ts'

/** A candidate's id, by its alias. */
export const candidateId = (alias: string): string => namedUuid('candidate_alias', alias)

/** The id of the account's claim with this reference, whether there is one or not. */
export const idOfReference = (userId: string, reference: string): string =>
  namedUuid('reference', `${userId}:${reference}`)

/** Of what a request with a key creates at this place of all that it names: a claim without a reference has it as its id. */
export const seedOfPlace = (seed: string, place: number): string => namedUuid('place', `${seed}:${place}`)

/**
 * A name-based UUID (version 8, RFC 9562) over SHA-256.
 * @param kind separates it from those of other things with the same name
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
