import type { App } from '../app.ts'
import type { Contract } from '../core/contracts/contract.ts'
import type { Hint } from '../core/contracts/hints/hints.ts'

/** Hints to a contract, for the response to its creation or change; undefined if there are none. */
export async function creationHints(
  app: App,
  userId: string,
  contract: Contract,
): Promise<readonly Hint[] | undefined> {
  const hints = await app.contractHints.hintsOf(app.db.reads.for(userId), userId, contract)
  return hints.length > 0 ? hints : undefined
}
