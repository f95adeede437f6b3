import type { Contract } from '../domain/contract.ts'
import { findClaimSchema } from '../storage/claim-schemas.ts'
import type { App } from './app.ts'
import { schemaNotFound } from './not-found.ts'

/** Where a new claim's contract comes from: the request itself, or a schema, whose contract is copied. */
export type ContractSource = { contract: Contract } | { schemaId: string }

/** @throws SCHEMA_NOT_FOUND */
export async function resolveContract(
  app: App,
  userId: string,
  source: ContractSource,
): Promise<{ contract: Contract; schemaId: string | null }> {
  if ('contract' in source) return { contract: source.contract, schemaId: null }
  const schema = await findClaimSchema(app.db, userId, source.schemaId)
  if (!schema) throw schemaNotFound(source.schemaId)
  return { contract: schema.contract, schemaId: schema.id }
}
