import type { Contract } from '../domain/contract.ts'
import { type ClaimSchema, updateClaimSchema as replaceContract } from '../storage/claim-schemas.ts'
import type { App } from './app.ts'
import { schemaNotFound } from './not-found.ts'

/** Replaces the template's contract; claims made from it keep the copy that they have. */
export async function updateClaimSchema(
  app: App,
  userId: string,
  id: string,
  contract: Contract,
): Promise<ClaimSchema> {
  const schema = await replaceContract(app.db.writes.for(userId), userId, id, contract)
  if (!schema) throw schemaNotFound(id)
  return schema
}
