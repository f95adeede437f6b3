import type { App } from '../../app.ts'
import type { ClaimWithMetadata } from '../../core/claims/claim.ts'
import { customerNotFound } from '../../core/record-errors.ts'
import type { CreationKey } from '../../idempotency/idempotency-key-store.ts'
import { ServiceError } from '../../kernel/errors.ts'
import { seedOfPlace } from '../claim-ids.ts'
import { findAliasOwners } from '../claim-store.ts'
import {
  type CreatedClaim,
  type CreationRequest,
  type CreationResult,
  type CreationTerms,
  createClaimsOrCandidates,
} from './create-claims-or-candidates.ts'
import type { ReserveMemory } from './resolve-contract.ts'

export interface CandidateRequest extends CreationTerms {
  alias: string
  /** Index in the request. */
  place: number
  customerExternalId: string
}

/**
 * Creates candidates: claims addressed by the caller's aliases (§2.4). Returns for each request the candidate, or the error
 * CUSTOMER_NOT_FOUND, TEST_CLOCK_NOT_FOUND, SCHEMA_NOT_FOUND, CANDIDATE_ALIAS_CONFLICT or RATE_LIMITED.
 * @param key idempotency key of the request; null for none
 */
export async function createCandidates(
  app: App,
  userId: string,
  requests: readonly CandidateRequest[],
  reserveMemory: ReserveMemory,
  key: CreationKey | null = null,
): Promise<(CreatedClaim | Error)[]> {
  if (requests.length === 0) return []
  const names = new Set(requests.map(({ customerExternalId }) => customerExternalId))
  const found = await app.creations.customersByExternalId.submit(userId, { userId, names: [...names] })
  const customers = new Map(found.map((customer) => [customer.externalId, customer]))
  const creations = requests.map(({ alias, place, customerExternalId, ...terms }) => {
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
  return createWithinLimit(app, userId, creations, reserveMemory, key)
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

interface CandidateCreation extends CreationRequest {
  address: { kind: 'candidate'; alias: string }
}
type CandidateCreations = readonly (CandidateCreation | ServiceError)[]
type Create = (creations: CandidateCreations) => Promise<CreationResult[]>

/**
 * Creates candidates within the limit of foreign aliases that the account may learn of. If all aliases may belong to others, their
 * owners are looked up afterwards, otherwise before. Beyond the limit only the account's own aliases are tried: a created
 * candidate would disclose as much as a conflict.
 */
function createWithinLimit(
  app: App,
  userId: string,
  creations: CandidateCreations,
  reserveMemory: ReserveMemory,
  key: CreationKey | null,
): Promise<CreationResult[]> {
  const create: Create = (allowed) => createClaimsOrCandidates(app, userId, allowed, reserveMemory, key)
  const aliases = aliasesOf(creations).length
  return app.aliasDisclosureLimit.reserve(userId, aliases)
    ? createAndCount(app, userId, creations, aliases, create)
    : createAllowed(app, userId, creations, create)
}

async function createAndCount(
  app: App,
  userId: string,
  creations: CandidateCreations,
  aliases: number,
  create: Create,
): Promise<CreationResult[]> {
  let disclosed = 0
  try {
    const results = await create(creations)
    const conflicting = creations.filter((_, i) => isConflict(results[i]))
    if (conflicting.length > 0) disclosed = await countForeign(app, userId, aliasesOf(conflicting))
    return results
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

async function createAllowed(
  app: App,
  userId: string,
  creations: CandidateCreations,
  create: Create,
): Promise<CreationResult[]> {
  const owners = await findAliasOwners(app.db.reads.for(userId), aliasesOf(creations))
  const limit = app.aliasDisclosureLimit
  const allowed = creations.map((creation) => {
    if (creation instanceof ServiceError || owners.get(creation.address.alias) === userId) return creation
    const { alias } = creation.address
    const mayKnow = isForeign(owners, userId, alias) ? limit.disclose(userId) : limit.hasRoom(userId)
    return mayKnow ? creation : limit.error(userId)
  })
  return create(allowed)
}

const isForeign = (owners: Map<string, string>, userId: string, alias: string): boolean =>
  (owners.get(alias) ?? userId) !== userId

const isConflict = (result: CreationResult | undefined): boolean =>
  result instanceof ServiceError && result.code === 'CANDIDATE_ALIAS_CONFLICT'

const aliasesOf = (creations: CandidateCreations): string[] => [
  ...new Set(
    creations.flatMap((creation) => (creation instanceof ServiceError ? [] : creation.address.alias)),
  ),
]
