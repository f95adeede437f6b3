import { deleteClaimSchema as removeClaimSchema } from '../storage/claim-schemas.ts'
import type { App } from './app.ts'
import { schemaNotFound } from './not-found.ts'

/** Claims made from the schema keep their copy of its contract, and its id. */
export async function deleteClaimSchema(app: App, userId: string, id: string): Promise<void> {
  if (!(await removeClaimSchema(app.db.writes.for(userId), userId, id))) throw schemaNotFound(id)
}
