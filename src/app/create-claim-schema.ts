import type { Contract } from '../domain/contract.ts'
import { type ClaimSchema, insertClaimSchema } from '../storage/claim-schemas.ts'
import type { App } from './app.ts'

export function createClaimSchema(app: App, userId: string, contract: Contract): Promise<ClaimSchema> {
  return insertClaimSchema(app.db, userId, contract)
}
