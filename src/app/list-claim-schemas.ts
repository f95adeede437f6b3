import { type ClaimSchema, listClaimSchemas as readClaimSchemas } from '../storage/claim-schemas.ts'
import type { App } from './app.ts'

/** All of the account's schemas, oldest first (§4.4 has no pages). */
export function listClaimSchemas(app: App, userId: string): Promise<ClaimSchema[]> {
  return readClaimSchemas(app.db, userId)
}
