import type { App } from '../../app.ts'
import type { ClaimWithMetadata } from '../../core/claims/claim.ts'
import { customerNotFound } from '../../core/record-errors.ts'
import type { CreationKey } from '../../idempotency/idempotency-key-store.ts'
import { ServiceError } from '../../kernel/errors.ts'
import { seedOfPlace } from '../claim-ids.ts'
import { findAliasOwners } from '../claim-store.ts'
import { type NewTerms, type OpenedClaim, type Opening, openClaims } from './open-claims.ts'
import type { ReserveMemory } from './resolve-contract.ts'

export interface CandidateRequest extends NewTerms {
  alias: string
  /** Index in the request. */
  place: number
  customerExternalId: string
}

/**
 * Creates candidates: claims addressed by the caller's aliases (§2.4). Each outcome is its own: the candidate, or the error
 * CUSTOMER_NOT_FOUND, TEST_CLOCK_NOT_FOUND, SCHEMA_NOT_FOUND, CANDIDATE_ALIAS_CONFLICT or RATE_LIMITED.
 * @param key idempotency key of the request; null for none
 */
export async function createCandidates(
  app: App,
  userId: string,
  requests: readonly CandidateRequest[],
  reserveMemory: ReserveMemory,
  key: CreationKey | null = null,
): Promise<(OpenedClaim | Error)[]> {
  if (requests.length === 0) return []
  const names = new Set(requests.map(({ customerExternalId }) => customerExternalId))
  const found = await app.creations.customersByExternalId.submit(userId, { userId, names: [...names] })
  const customers = new Map(found.map((customer) => [customer.externalId, customer]))
  const openings = requests.map(({ alias, place, customerExternalId, ...terms }) => {
    const customer = customers.get(customerExternalId)
    if (!customer) return customerNotFound({ externalId: customerExternalId })
    const address = { kind: 'candidate', alias } as const
    return {
      address,
      reference: null,
      seed: key && seedOfPlace(key.seed, place),
      customer,
      ...terms,
    }
  })
  return openCandidates(app, userId, openings, reserveMemory, key)
}

/**
 * Creates one candidate, whose contract is parsed.
 * @throws CUSTOMER_NOT_FOUND, TEST_CLOCK_NOT_FOUND, SCHEMA_NOT_FOUND, CANDIDATE_ALIAS_CONFLICT, RATE_LIMITED
 */
export async function createCandidate(
  app: App,
  userId: string,
  request: CandidateRequest,
  reserveMemory: ReserveMemory,
  key: CreationKey | null = null,
): Promise<ClaimWithMetadata> {
  const [candidate] = await createCandidates(app, userId, [request], reserveMemory, key)
  if (candidate instanceof Error) throw candidate
  return candidate as ClaimWithMetadata
}

type Outcome = OpenedClaim | Error
interface CandidateOpening extends Opening {
  address: { kind: 'candidate'; alias: string }
}
type CandidateOpenings = readonly (CandidateOpening | ServiceError)[]
type Open = (openings: CandidateOpenings) => Promise<Outcome[]>

/**
 * Creates candidates within the limit of foreign aliases that the account may learn of. If all aliases may belong to others, their
 * owners are looked up afterwards, otherwise before. Beyond the limit only the account's own aliases are tried: a created
 * candidate would disclose as much as a conflict.
 */
function openCandidates(
  app: App,
  userId: string,
  openings: CandidateOpenings,
  reserveMemory: ReserveMemory,
  key: CreationKey | null,
): Promise<Outcome[]> {
  const open: Open = (some) => openClaims(app, userId, some, reserveMemory, key)
  const aliases = aliasesOf(openings).length
  return app.aliasDisclosureLimit.reserve(userId, aliases)
    ? openAndCount(app, userId, openings, aliases, open)
    : openWithin(app, userId, openings, open)
}

async function openAndCount(
  app: App,
  userId: string,
  openings: CandidateOpenings,
  aliases: number,
  open: Open,
): Promise<Outcome[]> {
  let disclosed = 0
  try {
    const outcomes = await open(openings)
    const taken = openings.filter((_, i) => isConflict(outcomes[i]))
    if (taken.length > 0) disclosed = await countForeign(app, userId, aliasesOf(taken))
    return outcomes
  } finally {
    app.aliasDisclosureLimit.settle(userId, aliases, disclosed)
  }
}

/** If the database does not answer, all aliases count: the response for the created candidates must be sent. */
async function countForeign(app: App, userId: string, aliases: string[]): Promise<number> {
  try {
    const owners = await findAliasOwners(app.db.reads.for(userId), aliases)
    return aliases.filter((alias) => isForeign(owners, userId, alias)).length
  } catch {
    return aliases.length
  }
}

async function openWithin(
  app: App,
  userId: string,
  openings: CandidateOpenings,
  open: Open,
): Promise<Outcome[]> {
  const owners = await findAliasOwners(app.db.reads.for(userId), aliasesOf(openings))
  const limit = app.aliasDisclosureLimit
  const allowed = openings.map((opening) => {
    if (opening instanceof ServiceError || owners.get(opening.address.alias) === userId) return opening
    const { alias } = opening.address
    const mayKnow = isForeign(owners, userId, alias) ? limit.disclose(userId) : limit.hasRoom(userId)
    return mayKnow ? opening : limit.error(userId)
  })
  return open(allowed)
}

const isForeign = (owners: Map<string, string>, userId: string, alias: string): boolean =>
  (owners.get(alias) ?? userId) !== userId

const isConflict = (outcome: Outcome | undefined): boolean =>
  outcome instanceof ServiceError && outcome.code === 'CANDIDATE_ALIAS_CONFLICT'

const aliasesOf = (openings: CandidateOpenings): string[] => [
  ...new Set(openings.flatMap((opening) => (opening instanceof ServiceError ? [] : opening.address.alias))),
]
