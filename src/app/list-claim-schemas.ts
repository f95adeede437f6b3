import { type ClaimSchema, listClaimSchemas as readClaimSchemas } from '../storage/claim-schemas.ts'
import type { App } from './app.ts'

/** Records that are read, and held in memory, at a time: half a megabyte of contracts at most. */
const PAGE = 8

/**
 * All of the account's schemas, oldest first (§4.4 has no pages); the next are read when they are asked for. What is
 * added meanwhile may be there or not.
 */
export async function* listClaimSchemas(app: App, userId: string): AsyncGenerator<ClaimSchema[]> {
  for (let after = '0'; ; ) {
    const page = await readClaimSchemas(app.db.reads.for(userId), userId, after, PAGE)
    yield page.map(({ schema }) => schema)
    const last = page.at(-1)
    if (!last || page.length < PAGE) return
    after = last.position
  }
}
