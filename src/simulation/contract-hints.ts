import type { App } from '../app.ts'
import type { Contract } from '../core/contracts/contract.ts'
import { type Hint, lookForHints } from '../core/contracts/hints/hints.ts'
import { listEventTypes } from '../events/event-types.ts'
import { endsWithin } from '../kernel/owned-promise.ts'
import { inSlices } from '../platform/concurrency/in-slices.ts'
import { DatabaseUnavailable } from '../platform/database/database-unavailable.ts'

const EVENT_TYPES_TIMEOUT_MS = 1_000

/** All hints to a contract. Leaves out those about event types or the price if the database does not respond in time. */
export async function contractHints(app: App, userId: string, contract: Contract): Promise<readonly Hint[]> {
  const [types, currency] = await Promise.all([
    knownTypes(app, userId),
    app.contractHints.currencyOf(app.db.reads.for(userId), userId),
  ])
  return inSlices(lookForHints(contract, types, currency))
}

/** Empty if the database is unavailable or slow: a simulation works without hints. */
async function knownTypes(app: App, userId: string): Promise<ReadonlySet<string>> {
  try {
    const types = await endsWithin(EVENT_TYPES_TIMEOUT_MS, listEventTypes(app, userId))
    return new Set(types?.map(({ type }) => type))
  } catch (error) {
    if (error instanceof DatabaseUnavailable) return new Set()
    throw error
  }
}
