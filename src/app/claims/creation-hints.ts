import type { Contract } from '../../domain/contract/contract.ts'
import type { Hint } from '../../domain/contract/hints/hints.ts'
import type { App } from '../app.ts'

/** Hints to a contract, for the response to its creation or change; undefined if there are none. */
export async function creationHints(
  app: App,
  userId: string,
  contract: Contract,
): Promise<readonly Hint[] | undefined> {
  const hints = await app.contractHints.hintsOf(app.db.reads.for(userId), userId, contract)
  return hints.length > 0 ? hints : undefined
}
