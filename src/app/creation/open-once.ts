import { ServiceError } from '../../errors.ts'
import { claimIdOf } from '../../storage/claims/candidate-id.ts'
import type { CreationKey } from '../../storage/idempotency/keys.ts'
import type { App } from '../app.ts'
import { findCreatedBefore } from './created-before.ts'
import { type OpenedClaim, type Opening, openClaims } from './open-claims.ts'
import type { TakeMemory } from './resolve-contract.ts'

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
  const named = firstOfEach(openings)
  const before = key.isKnown
    ? await findCreatedBefore(app, userId, named, key)
    : new Map<Opening, OpenedClaim>()
  const rest = openings.filter((opening) => opening instanceof ServiceError || !before.has(opening))
  const opened = await openClaims(app, userId, rest, takeMemory)
  const outcomes = new Map(rest.map((opening, i) => [opening, opened[i] as Outcome]))
  // The same request may be under way somewhere else.
  const taken = named.filter((opening) => isConflict(outcomes.get(opening)))
  const meanwhile = taken.length > 0 ? await findCreatedBefore(app, userId, taken, key) : before
  return openings.map(
    (opening) =>
      (opening instanceof ServiceError ? opening : (before.get(opening) ?? meanwhile.get(opening))) ??
      (outcomes.get(opening) as Outcome),
  )
}

/** Of several with one alias or reference the first: it is created, and the others never are. */
function firstOfEach(openings: readonly (Opening | ServiceError)[]): Opening[] {
  const first = new Map<string, Opening>()
  for (const opening of openings) {
    if (opening instanceof ServiceError) continue
    const id = claimIdOf(opening.address)
    if (!first.has(id)) first.set(id, opening)
  }
  return [...first.values()]
}

const isConflict = (outcome: Outcome | undefined): boolean =>
  outcome instanceof ServiceError &&
  (outcome.code === 'CANDIDATE_ALIAS_CONFLICT' || outcome.code === 'CLAIM_REFERENCE_CONFLICT')
