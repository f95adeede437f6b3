import type { Contract } from '../domain/contract.ts'
import type { App } from './app.ts'
import { getClaimSchema } from './get-claim-schema.ts'

/** Where a new claim's contract comes from: the request itself, or a schema, whose contract is copied. */
export type ContractSource = { contract: Contract } | { schemaId: string }

/** @throws SCHEMA_NOT_FOUND */
export async function resolveContract(
  app: App,
  userId: string,
  source: ContractSource,
): Promise<{ contract: Contract; schemaId: string | null }> {
  if ('contract' in source) return { contract: source.contract, schemaId: null }
  const schema = await getClaimSchema(app, userId, source.schemaId)
  return { contract: schema.contract, schemaId: schema.id }
}
