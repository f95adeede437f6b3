import type { App } from '../../app.ts'
import { MAX_SCHEMA_CONTRACT_BYTES } from '../../claim-schemas/limits.ts'
import type { Contract } from '../../core/contracts/contract.ts'
import {
  type Creation,
  type CreationKey,
  findCreations,
  readStoredContracts,
} from '../../idempotency/idempotency-key-store.ts'
import { ServiceError } from '../../kernel/errors.ts'
import { claimIdOf } from '../claim-ids.ts'
import { claimAsCreated } from '../insert-claims-store.ts'
import { type OpenedClaim, type Opening, openClaims, Taken, tooManyContracts } from './open-claims.ts'
import { contractOf, type LateContract, type TakeMemory } from './resolve-contract.ts'

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

/** Ids that are looked for with one statement. */
const LOOKUP_BATCH_SIZE = 250

/** The openings that an earlier attempt of this request created, as they were then (§4.17); an error if their contracts are too many to read. */
async function findCreatedBefore(
  app: App,
  userId: string,
  openings: readonly Opening[],
  key: CreationKey,
): Promise<Map<Opening, OpenedClaim | Error>> {
  const ours: [Opening, Creation][] = []
  for (let from = 0; from < openings.length; from += LOOKUP_BATCH_SIZE) {
    const some = openings.slice(from, from + LOOKUP_BATCH_SIZE)
    const ids = some.map(({ address }) => claimIdOf(address))
    const found = await findCreations(app.db.reads.for(userId), userId, ids)
    for (const [i, opening] of some.entries()) {
      const creation = found.get(ids[i] as string)
      if (creation && creation.seed === opening.seed) ours.push([opening, creation])
    }
  }
  if (ours.length > 0) key.hasCreated = true
  const hashes = ours.flatMap(([{ source }, { contractHash }]) =>
    'schemaId' in source ? (contractHash ?? []) : [],
  )
  const stored = await readStored(app, userId, [...new Set(hashes)])
  return new Map(
    ours.map(([opening, creation]) => {
      const { source } = opening
      const contract = 'contract' in source ? source.contract : stored.get(creation.contractHash ?? '')
      return [opening, contract ? asCreated(userId, opening, creation, contract) : tooManyContracts()]
    }),
  )
}

async function readStored(
  app: App,
  userId: string,
  hashes: readonly string[],
): Promise<Map<string, Contract>> {
  if (hashes.length === 0) return new Map()
  const texts = await readStoredContracts(app.db.reads.for(userId), hashes, MAX_SCHEMA_CONTRACT_BYTES)
  return new Map([...texts].map(([hash, text]) => [hash, JSON.parse(text)]))
}

const asCreated = (
  userId: string,
  { address, reference, customer, testClockId, metadata }: Opening,
  { id, createdAt, schemaId, schemaVersion }: Creation,
  contract: Contract | LateContract,
): OpenedClaim => {
  const customerExternalId = address.kind === 'candidate' ? customer.externalId : null
  const whose = { userId, customerId: customer.id, customerExternalId }
  const made = claimAsCreated(
    { address, reference, ...whose, schemaId, schemaVersion, testClockId, metadata },
    id,
    createdAt,
    contractOf(contract),
  )
  return { ...made, contract }
}
