import type { Contract } from '../../domain/contract/contract.ts'
import type { Hint } from '../../domain/contract/hints/hints.ts'
import type { App } from '../app.ts'

/** Hints to the contract of what was created just now, for its answer; undefined if there are none. */
export async function hintsToNew(
  app: App,
  userId: string,
  contract: Contract,
): Promise<readonly Hint[] | undefined> {
  const hints = await app.contractHints.of(app.db.reads.for(userId), userId, contract)
  return hints.length > 0 ? hints : undefined
}
