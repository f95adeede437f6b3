import { createHash } from 'node:crypto'
import type { ClaimAddress } from '../../domain/claims/claim.ts'

/** Separates our name-based UUIDs from those of others who hash the same string. */
const NAMESPACE = 'claimkeeper/candidate_alias:'

/** A candidate's id: a name-based UUID (version 8, RFC 9562) over SHA-256 of its alias. */
export function candidateId(alias: string): string {
  const bytes = createHash('sha256').update(NAMESPACE).update(alias).digest().subarray(0, 16)
  bytes[6] = ((bytes[6] as number) & 0x0f) | 0x80
  bytes[8] = ((bytes[8] as number) & 0x3f) | 0x80
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}

/** The id of the claim or candidate at this address, whether there is one or not. */
export const claimIdOf = (address: ClaimAddress): string =>
  address.kind === 'claim' ? address.id : candidateId(address.alias)
