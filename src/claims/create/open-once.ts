import type { App } from '../../app.ts'
import type { CreationKey } from '../../idempotency/idempotency-key-store.ts'
import { ServiceError } from '../../kernel/errors.ts'
import { findCreatedBefore } from './created-before.ts'
import { type OpenedClaim, type Opening, openClaims } from './open-claims.ts'
import type { TakeMemory } from './resolve-contract.ts'
import { Taken } from './taken.ts'

type Outcome = OpenedClaim | Error

/**
 * Opens claims as `openClaims` does. Those that the same request has created before are there as they were created then.
 * @param key of a request that may be sent again; null for none
 */
export async function openOnce(
  app: App,
  userId: string,
  openings: readonly (Opening | ServiceError)[],
  takeMemory: TakeMemory,
  key: CreationKey | null,
): Promise<Outcome[]> {
  if (key === null) return openClaims(app, userId, openings, takeMemory)
  const valid = openings.flatMap((opening) => (opening instanceof ServiceError ? [] : opening))
  const before = key.isKnown ? await findCreatedBefore(app, userId, valid, key) : new Map<Opening, Outcome>()
  const rest = openings.filter((opening) => opening instanceof ServiceError || !before.has(opening))
  const opened = await openClaims(app, userId, rest, takeMemory)
  const outcomes = new Map<Opening | ServiceError, Outcome>([
    ...before,
    ...rest.map((opening, i) => [opening, opened[i] as Outcome] as const),
  ])
  // The same request may be under way somewhere else.
  const taken = valid.filter((opening) => outcomes.get(opening) instanceof Taken)
  if (taken.length > 0)
    for (const [opening, found] of await findTaken(app, userId, taken, key)) outcomes.set(opening, found)
  return openings.map((opening) => outcomes.get(opening) as Outcome)
}

/** An error affects only these openings: the others of the request are created by now. */
async function findTaken(
  app: App,
  userId: string,
  taken: readonly Opening[],
  key: CreationKey,
): Promise<Map<Opening, Outcome>> {
  try {
    return await findCreatedBefore(app, userId, taken, key)
  } catch (error) {
    return new Map(taken.map((opening) => [opening, error as Error]))
  }
}
