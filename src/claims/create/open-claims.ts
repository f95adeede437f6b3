import type { App } from '../../app.ts'
import { MAX_SCHEMA_CONTRACT_BYTES } from '../../claim-schemas/limits.ts'
import { type NewContract, newContract } from '../../contracts/contract-store.ts'
import type { ClaimAddress, NotedClaim, WithContract } from '../../core/claims/claim.ts'
import type { Contract } from '../../core/contracts/contract.ts'
import { schemaNotFound, testClockNotFound } from '../../core/record-errors.ts'
import type { CustomerKey } from '../../customers/customer.ts'
import { RETRY_LATER, ServiceError } from '../../kernel/errors.ts'
import { charactersOfMetadata, type Metadata } from '../../kernel/metadata.ts'
import { runCooperatively } from '../../platform/concurrency/cooperative.ts'
import { DatabaseUnavailable, isTransient } from '../../platform/database/database-unavailable.ts'
import { clockIsHeld } from '../../test-clocks/hold-clock.ts'
import { findTestClocks } from '../../test-clocks/test-clock-store.ts'
import { claimIdOf } from '../claim-ids.ts'
import { insertClaimsOnTestClock, type NewClaim } from '../insert-claims-store.ts'
import {
  type ContractSource,
  contractOf,
  type LateContract,
  readSchemaContracts,
  type TakeMemory,
} from './resolve-contract.ts'

/** For a test clock that is being advanced. */
const PATIENCE_MS = 5_000
/** Of contracts: a statement that has so many takes no more claims. */
const SET_CHARACTERS = 256 * 1024

type MaybeLate = Contract | LateContract
type Resolved = WithContract<NewClaim, MaybeLate>
/** What one statement stores, and the contract as it is kept after that. */
type ToInsert = NewClaim & { kept: MaybeLate }
/** With its contract as the opening had it. */
export type OpenedClaim = WithContract<NotedClaim, MaybeLate>

/** What a new claim or candidate is made of. */
export interface Opening {
  address: ClaimAddress
  /** Of a claim whose id is made of it; null for none. */
  reference: string | null
  /** Of the key of the request that creates it, and its place there; null for none. */
  seed: string | null
  customer: CustomerKey
  source: ContractSource
  testClockId: string | null
  metadata: Metadata
}

/**
 * Opens claims or candidates of the account, each on its own: the claim, or why it was not opened, in the order of
 * the openings; those that are errors already stay so. Errors: TEST_CLOCK_NOT_FOUND, SCHEMA_NOT_FOUND,
 * PAYLOAD_TOO_LARGE for too many contracts of schemas, CANDIDATE_ALIAS_CONFLICT, CLAIM_REFERENCE_CONFLICT, UNAVAILABLE.
 */
export async function openClaims(
  app: App,
  userId: string,
  openings: readonly (Opening | ServiceError)[],
  takeMemory: TakeMemory,
): Promise<(OpenedClaim | Error)[]> {
  const resolved = await resolve(app, userId, openings, takeMemory)
  const { first, again } = firstOfEach(resolved.flatMap((claim) => (claim instanceof Error ? [] : claim)))
  const opened = new Map<ClaimAddress, OpenedClaim | Error>(
    again.map((claim) => [claim.address, conflictOf(claim)]),
  )
  const deadline = performance.now() + PATIENCE_MS
  const toStored = storedContracts()
  const away = new Set<number | null>()
  for (const together of Map.groupBy(first, (claim) => homeOf(app, claim)).values()) {
    const machine = machineOf(app, together[0] as Resolved)
    const left = together.values()
    while (!away.has(machine)) {
      const set = await runCooperatively(takeSet(left, toStored))
      if (set.length === 0) break
      const outcomes = await insertEach(app, set, deadline)
      if (outcomes.some((outcome) => outcome instanceof DatabaseUnavailable)) away.add(machine)
      for (const [i, { address, kept }] of set.entries())
        opened.set(address, withKept(outcomes[i] as NotedClaim | Error, kept))
    }
    // Each statement could wait as long for the database as the one before.
    for (const { address } of left) opened.set(address, notTried())
  }
  return resolved.map((claim) =>
    claim instanceof Error ? claim : (opened.get(claim.address) as OpenedClaim | Error),
  )
}

/** Null for a clock, whose claims may be anywhere. */
const machineOf = ({ db }: App, { address, testClockId }: Resolved) =>
  testClockId === null ? db.distribution.nodeOf(claimIdOf(address)) : null

/** What is stored together: the claims on one clock, or the live ones of one machine. */
const homeOf = (app: App, claim: Resolved) => claim.testClockId ?? machineOf(app, claim)

const withKept = (outcome: NotedClaim | Error, kept: MaybeLate): OpenedClaim | Error =>
  typeof kept === 'function' && !(outcome instanceof Error) ? { ...outcome, contract: kept } : outcome

/** Of several candidates with one alias, or claims with one reference, the first is opened. */
function firstOfEach(claims: readonly Resolved[]): { first: Resolved[]; again: Resolved[] } {
  const names = new Set<string>()
  const isFirst = ({ address, reference }: Resolved) => {
    const name = address.kind === 'candidate' ? address.alias : reference
    if (name === null) return true
    const { size } = names
    return names.add(name).size > size
  }
  const { true: first = [], false: again = [] } = Object.groupBy(claims, (claim) => `${isFirst(claim)}`)
  return { first, again }
}

/**
 * What the next statement takes; nothing if all is taken. The driver writes all of it out at once. Contracts are made,
 * and made text, no sooner, a step for each.
 */
function* takeSet(claims: Iterator<Resolved>, toStored: ToStored): Generator<void, ToInsert[]> {
  const set: ToInsert[] = []
  let characters = 0
  while (characters < SET_CHARACTERS) {
    const { done, value: claim } = claims.next()
    if (done) break
    const contract = toStored(contractOf(claim.contract), claim.schemaId)
    set.push({ ...claim, contract, kept: claim.contract })
    characters += contract.text.length + charactersOfMetadata(claim.metadata)
    yield
  }
  return set
}

/** What is stored stays so, whatever becomes of the others: an error is each one's own. */
async function insertEach(
  app: App,
  claims: readonly NewClaim[],
  deadline: number,
): Promise<(NotedClaim | Error)[]> {
  try {
    return await insert(app, claims, deadline)
  } catch (error) {
    // One of them may be what the database does not take: it must not fail its neighbours.
    const isAlone = claims.length === 1 || error instanceof DatabaseUnavailable
    if (isAlone) return claims.map(() => error as Error)
    const outcomes: (NotedClaim | Error)[] = []
    for (const claim of claims) {
      const isAway = outcomes.at(-1) instanceof DatabaseUnavailable
      outcomes.push(...(isAway ? [notTried()] : await insertEach(app, [claim], deadline)))
    }
    return outcomes
  }
}

const notTried = () => new DatabaseUnavailable('The database is away. This was not created.', 'not applied')

/** All on one clock, or on none. */
async function insert(
  app: App,
  claims: readonly NewClaim[],
  deadline: number,
): Promise<(NotedClaim | Error)[]> {
  if (!app.db.distribution.isOn) return insertReady(app, claims, deadline)
  const { userId } = claims[0] as NewClaim
  const isReady = await app.creations.newContracts.submit(userId, claims)
  const ready = claims.filter((_, i) => isReady[i])
  const inserted = ready.length === 0 ? [] : await insertReady(app, ready, deadline)
  const outcomes = new Map(ready.map((claim, i) => [claim, inserted[i] as NotedClaim | Error]))
  return claims.map((claim) => outcomes.get(claim) ?? conflictOf(claim))
}

/**
 * Of claims whose contracts are there, on distributed tables. If the clock is held, it is waited for, but not long, and without a connection; who else is in
 * the way is waited for by trying again.
 */
async function insertReady(
  app: App,
  claims: readonly NewClaim[],
  deadline: number,
): Promise<(NotedClaim | Error)[]> {
  const { userId, testClockId } = claims[0] as NewClaim
  const toOutcomes = (inserted: readonly (NotedClaim | null)[]) =>
    claims.map((claim, i) => inserted[i] ?? conflictOf(claim))
  if (testClockId === null) return toOutcomes(await app.creations.newClaims.submit(userId, claims))
  for (;;) {
    try {
      const inserted = await insertClaimsOnTestClock(app.db.writes.for(userId), claims, testClockId)
      if (inserted) return toOutcomes(inserted)
    } catch (error) {
      if (!isTransient(error) || performance.now() > deadline) throw error
      continue
    }
    const [found] = await findTestClocks(app.db.reads.for(userId), userId, [testClockId])
    const patience = deadline - performance.now()
    if (!found || patience <= 0)
      return claims.map(() => (found ? clockIsHeld(testClockId) : testClockNotFound(testClockId)))
    await app.heldClocks.untilFreeWithin({ userId, id: testClockId }, patience)
  }
}

/** Looks up what the openings name. */
async function resolve(
  app: App,
  userId: string,
  openings: readonly (Opening | ServiceError)[],
  takeMemory: TakeMemory,
): Promise<(Resolved | Error)[]> {
  const valid = openings.flatMap((opening) => (opening instanceof ServiceError ? [] : opening))
  const clockIds = new Set(valid.flatMap(({ testClockId }) => testClockId ?? []))
  const schemaIds = new Set(valid.flatMap(({ source }) => ('schemaId' in source ? source.schemaId : [])))
  const clocks =
    clockIds.size === 0 ? [] : await findTestClocks(app.db.reads.for(userId), userId, [...clockIds])
  const contracts =
    schemaIds.size === 0 ? null : await readSchemaContracts(app, userId, [...schemaIds], takeMemory)
  const knownClocks = new Set(clocks.map(({ id }) => id))

  const toClaim = (opening: Opening | ServiceError): Resolved | Error => {
    if (opening instanceof ServiceError) return opening
    const { address, reference, seed, customer, source, testClockId, metadata } = opening
    if (testClockId !== null && !knownClocks.has(testClockId)) return testClockNotFound(testClockId)
    const schemaId = 'schemaId' in source ? source.schemaId : null
    const ofSchema = schemaId === null ? undefined : contracts?.get(schemaId)
    const contract = 'contract' in source ? source.contract : ofSchema?.contract
    if (contract === null) return tooManyContracts()
    if (contract instanceof Error) return contract
    if (!contract) return schemaNotFound(`${schemaId}`)
    const customerExternalId = address.kind === 'candidate' ? customer.externalId : null
    const terms = { contract, schemaId, schemaVersion: ofSchema?.version ?? null, testClockId }
    const whose = { userId, customerId: customer.id, customerExternalId }
    return { address, reference, seed, ...whose, ...terms, metadata }
  }
  return openings.map(toClaim)
}

type ToStored = (contract: Contract, schemaId: string | null) => NewContract

/** A thousand claims from one schema share what is made of its contract; of no other it is kept. */
function storedContracts(): ToStored {
  const made = new Map<Contract, NewContract>()
  return (contract, schemaId) => {
    const stored = made.get(contract) ?? newContract(contract)
    if (schemaId !== null) made.set(contract, stored)
    return stored
  }
}

export const tooManyContracts = (): ServiceError =>
  new ServiceError(
    'PAYLOAD_TOO_LARGE',
    `The contracts of the batch's schemas up to this one have more than ${MAX_SCHEMA_CONTRACT_BYTES / 1024 / 1024} MiB; send it with another batch.`,
  )

/** What is asked for has a name, or an id, that is taken. */
export class Taken extends ServiceError {}

function conflictOf({ address, reference }: Pick<NewClaim, 'address' | 'reference'>): ServiceError {
  if (address.kind === 'candidate') {
    const message = `The candidate alias ${JSON.stringify(address.alias)} is taken.`
    return new Taken('CANDIDATE_ALIAS_CONFLICT', message)
  }
  // The same request has created it, and its clock was just being deleted.
  if (reference === null)
    return new Taken('UNAVAILABLE', 'The claim is being deleted with its test clock.', {
      headers: RETRY_LATER,
    })
  const message = `The account has a claim with the reference ${JSON.stringify(reference)}: ${address.id}.`
  return new Taken('CLAIM_REFERENCE_CONFLICT', message)
}
