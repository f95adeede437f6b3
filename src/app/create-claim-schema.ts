import type { Contract } from '../domain/contract.ts'
import { ServiceError } from '../errors.ts'
import { type ClaimSchema, insertClaimSchema } from '../storage/claim-schemas.ts'
import type { App } from './app.ts'

/** @param most schemas of an account. @throws SCHEMA_LIMIT_REACHED */
export async function createClaimSchema(
  app: App,
  userId: string,
  contract: Contract,
  most: number,
): Promise<ClaimSchema> {
  const schema = await insertClaimSchema(app.db.writes.for(userId), userId, contract, most)
  if (!schema)
    throw new ServiceError('SCHEMA_LIMIT_REACHED', `The account has ${most} schemas, as many as it may.`)
  return schema
}
