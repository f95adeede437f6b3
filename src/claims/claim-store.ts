import type { Claim, ClaimAddress } from '../core/claims/claim.ts'
import type { Connection } from '../platform/database/connection.ts'
import { CLAIM_COLUMNS, type ClaimRow, toWholeClaim } from './claim-columns.ts'
import { candidateId, claimIdOf } from './claim-ids.ts'

/** The columns `id` and `candidate_alias` of the address. */
export function addressColumns(address: ClaimAddress): { id: string; alias: string | null } {
  return { id: claimIdOf(address), alias: address.kind === 'candidate' ? address.alias : null }
}

/** The claim without its log. Null if the account has no such claim. */
export async function findClaim(
  db: Connection,
  userId: string,
  address: ClaimAddress,
): Promise<Claim | null> {
  const { id, alias } = addressColumns(address)
  const [row] = await db.query<ClaimRow>({
    name: 'find_claim',
    text: `-- find_claim
      SELECT ${CLAIM_COLUMNS} FROM claims
      WHERE id = $1 AND user_id = $2 AND candidate_alias IS NOT DISTINCT FROM $3`,
    values: [id, userId, alias],
    readOnly: true,
  })
  return row ? toWholeClaim(row) : null
}

/** The account of each alias, including archived candidates. Aliases without a candidate are missing in the result. */
export async function findAliasOwners(
  db: Connection,
  aliases: readonly string[],
): Promise<Map<string, string>> {
  const aliasOf = new Map(aliases.map((alias) => [candidateId(alias), alias]))
  const rows = await db.query<{ id: string; user_id: string }>({
    name: 'find_alias_owners',
    text: `-- find_alias_owners
      SELECT id, user_id FROM claims WHERE id = ANY($1::uuid[])
      UNION ALL SELECT id, user_id FROM archived_claims WHERE id = ANY($1::uuid[])`,
    values: [[...aliasOf.keys()]],
    readOnly: true,
  })
  return new Map(rows.map(({ id, user_id: userId }) => [aliasOf.get(id) as string, userId]))
}
