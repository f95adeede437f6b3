import { type ClaimSchema, findClaimSchema } from '../storage/claim-schemas.ts'
import type { App } from './app.ts'
import { schemaNotFound } from './not-found.ts'

export async function getClaimSchema(app: App, userId: string, id: string): Promise<ClaimSchema> {
  const schema = await findClaimSchema(app.db.reads.for(userId), userId, id)
  if (!schema) throw schemaNotFound(id)
  return schema
}
