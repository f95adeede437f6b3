import type { App } from '../../app.ts'
import { MOST_CONTRACT_BYTES } from '../../claim-schemas/claim-schema-store.ts'
import type { Contract } from '../../core/contracts/contract.ts'
import { type Creation, findCreations, readStoredContracts } from '../../idempotency/creation-key-store.ts'
import type { CreationKey } from '../../idempotency/idempotency-key-store.ts'
import { claimIdOf } from '../candidate-id.ts'
import { claimAsCreated } from '../claim-store.ts'
import { type OpenedClaim, type Opening, tooManyContracts } from './open-claims.ts'
import { contractOf, type LateContract } from './resolve-contract.ts'

/** Ids that are looked for with one statement. */
const AT_ONCE = 250

/** Of these openings those that the same request has created before, as they were then (§4.17); or that there are too many contracts to tell. */
export async function findCreatedBefore(
  app: App,
  userId: string,
  openings: readonly Opening[],
  key: CreationKey,
): Promise<Map<Opening, OpenedClaim | Error>> {
  const ours: [Opening, Creation][] = []
  for (let from = 0; from < openings.length; from += AT_ONCE) {
    const some = openings.slice(from, from + AT_ONCE)
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
  const texts = await readStoredContracts(app.db.reads.for(userId), hashes, MOST_CONTRACT_BYTES)
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
