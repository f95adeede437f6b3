import type { Contract } from '../../domain/contract/contract.ts'
import { type Hint, lookForHints } from '../../domain/contract/hints/hints.ts'
import { endsWithin, owned } from '../../owned-promise.ts'
import { DatabaseUnavailable } from '../../storage/database/database-unavailable.ts'
import type { App } from '../app.ts'
import { inSlices } from '../in-slices.ts'
import { listEventTypes } from './event-types.ts'

/** For the types of the account's events. */
const READ_TIMEOUT_MS = 1_000

/** All hints to the contract. Those about its types and its price are left out if the database does not answer soon. */
export async function hintsTo(app: App, userId: string, contract: Contract): Promise<readonly Hint[]> {
  const [types, currency] = await Promise.all([
    knownTypes(app, userId),
    app.contractHints.currencyOf(app.db.reads.for(userId), userId),
  ])
  return inSlices(lookForHints(contract, types, currency))
}

/** None if the database does not tell, or not soon: a simulation needs no hint. */
async function knownTypes(app: App, userId: string): Promise<ReadonlySet<string>> {
  try {
    const types = await endsWithin(READ_TIMEOUT_MS, owned(listEventTypes(app, userId)))
    return new Set(types?.map(({ type }) => type))
  } catch (error) {
    if (error instanceof DatabaseUnavailable) return new Set()
    throw error
  }
}
