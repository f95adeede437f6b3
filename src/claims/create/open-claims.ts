import type { App } from '../../app.ts'
import { type CalendarReference, findVersionOfNewClaim, withVersion } from '../../calendars/calendar-times.ts'
import { MAX_SCHEMA_CONTRACT_BYTES } from '../../claim-schemas/limits.ts'
import { type NewContract, newContract } from '../../contracts/contract-store.ts'
import type { ClaimAddress, ClaimWithMetadata, WithContract } from '../../core/claims/claim.ts'
import { sortReminders } from '../../core/claims/reminder-times.ts'
import type { Contract } from '../../core/contracts/contract.ts'
import { schemaNotFound, testClockNotFound } from '../../core/record-errors.ts'
import type { CustomerKey } from '../../customers/customer.ts'
import {
  type Creation,
  type CreationKey,
  findCreations,
  readStoredContracts,
} from '../../idempotency/idempotency-key-store.ts'
import { RETRY_LATER, ServiceError } from '../../kernel/errors.ts'
import { RawJson } from '../../kernel/json.ts'
import { charactersOfMetadata, type Metadata } from '../../kernel/metadata.ts'
import { runCooperatively } from '../../platform/concurrency/cooperative.ts'
import { DatabaseUnavailable, isTransient } from '../../platform/database/database-unavailable.ts'
import { clockIsLocked } from '../../test-clocks/lock-clock.ts'
import { findTestClocks } from '../../test-clocks/test-clock-store.ts'
import { claimIdOf } from '../claim-ids.ts'
import {
  claimAsCreated,
  insertClaims,
  insertClaimsOnTestClock,
  type NewClaim,
} from '../insert-claims-store.ts'
import { CLOCK_WAIT_TIMEOUT_MS, FULL_INSERT_CHARACTERS, MAX_IDS_PER_LOOKUP } from '../limits.ts'
import {
  type ContractSource,
  contractOf,
  type RawContract,
  type ReserveMemory,
  readSchemaContracts,
} from './resolve-contract.ts'

type Resolved = WithContract<NewClaim, Contract | RawContract>
/** A claim to insert, and its contract in the form that the result has. */
type ToInsert = NewClaim & { kept: Contract | RawContract }
/** The contract has the form that the opening had. */
export type OpenedClaim = WithContract<ClaimWithMetadata, Contract | RawContract>
type Outcome = OpenedClaim | Error

/** The terms of a new claim or candidate. */
export interface NewTerms {
  source: ContractSource
  testClockId: string | null
  metadata: Metadata
  /** Null for the reminders of the schema. */
  reminders: readonly number[] | null
}

/** A claim or candidate to create. */
export interface Opening extends NewTerms {
  address: ClaimAddress
  /** The caller's reference, from which the id of the claim is derived; null for none. */
  reference: string | null
  /** Derived from the idempotency key and the index in the request; null without a key. */
  seed: string | null
  customer: CustomerKey
}

/**
 * Creates claims or candidates of the account. Each outcome is its own, in the order of the openings: the claim or an error.
 * Openings that are errors are returned. Errors: TEST_CLOCK_NOT_FOUND, SCHEMA_NOT_FOUND, PAYLOAD_TOO_LARGE for too many
 * contracts of schemas, CANDIDATE_ALIAS_CONFLICT, CLAIM_REFERENCE_CONFLICT, UNAVAILABLE. A claim that the same request has
 * created before is returned as it was then.
 * @param key idempotency key of the request; null for none
 */
export async function openClaims(
  app: App,
  userId: string,
  openings: readonly (Opening | ServiceError)[],
  reserveMemory: ReserveMemory,
  key: CreationKey | null,
): Promise<Outcome[]> {
  if (key === null) return openNew(app, userId, openings, reserveMemory)
  const valid = openings.flatMap((opening) => (opening instanceof ServiceError ? [] : opening))
  const before = key.isKnown ? await findCreatedBefore(app, userId, valid, key) : new Map<Opening, Outcome>()
  const rest = openings.filter((opening) => opening instanceof ServiceError || !before.has(opening))
  const opened = await openNew(app, userId, rest, reserveMemory)
  const outcomes = new Map<Opening | ServiceError, Outcome>([
    ...before,
    ...rest.map((opening, i) => [opening, opened[i] as Outcome] as const),
  ])
  // The same request may be in progress on another connection.
  const taken = valid.filter((opening) => outcomes.get(opening) instanceof NameTaken)
  if (taken.length > 0)
    for (const [opening, found] of await findTaken(app, userId, taken, key)) outcomes.set(opening, found)
  return openings.map((opening) => outcomes.get(opening) as Outcome)
}

/** An error affects only these openings: the other claims of the request exist by now. */
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

/** The claims that an earlier attempt of the request created, as they were then (§4.17). An error if their contracts are too large. */
async function findCreatedBefore(
  app: App,
  userId: string,
  openings: readonly Opening[],
  key: CreationKey,
): Promise<Map<Opening, Outcome>> {
  const own: [Opening, Creation][] = []
  for (let from = 0; from < openings.length; from += MAX_IDS_PER_LOOKUP) {
    const some = openings.slice(from, from + MAX_IDS_PER_LOOKUP)
    const ids = some.map(({ address }) => claimIdOf(address))
    const found = await findCreations(app.db.reads.for(userId), userId, ids)
    for (const [i, opening] of some.entries()) {
      const creation = found.get(ids[i] as string)
      if (creation && creation.seed === opening.seed) own.push([opening, creation])
    }
  }
  if (own.length > 0) key.hasCreated = true
  const hashes = own.flatMap(([{ source }, { contractHash }]) =>
    'contract' in source ? [] : (contractHash ?? []),
  )
  const stored = await readStored(app, userId, [...new Set(hashes)])
  const outcomes = new Map<Opening, Outcome>()
  for (const [opening, creation] of own) {
    const { source } = opening
    const contract =
      'contract' in source
        ? asFilledIn(source.contract, creation.calendarVersion)
        : stored.get(creation.contractHash ?? '')
    const outcome = contract ? await asCreated(app, userId, opening, creation, contract) : tooManyContracts()
    outcomes.set(opening, outcome)
  }
  return outcomes
}

/** The contract of the request with the version of its calendar that the creation filled in. */
function asFilledIn(sent: Contract | RawContract, version: number | null): Contract | RawContract {
  if (version === null) return sent
  const contract = contractOf(sent)
  const named = contract.clock?.calendar
  return named ? inFormOf(sent, newContract(withVersion(contract, named, version))) : sent
}

/** A contract in the form of another one: a large contract stays JSON. */
const inFormOf = (form: Contract | RawContract, { contract, text }: NewContract): Contract | RawContract =>
  form instanceof RawJson ? new RawJson(`{"contract":${text}}`) : contract

async function readStored(
  app: App,
  userId: string,
  hashes: readonly string[],
): Promise<Map<string, Contract>> {
  if (hashes.length === 0) return new Map()
  const texts = await readStoredContracts(app.db.reads.for(userId), hashes, MAX_SCHEMA_CONTRACT_BYTES)
  return new Map([...texts].map(([hash, text]) => [hash, JSON.parse(text)]))
}

const asCreated = async (
  app: App,
  userId: string,
  { address, reference, customer, testClockId, metadata }: Opening,
  { id, createdAt, schemaId, schemaVersion, reminders }: Creation,
  contract: Contract | RawContract,
): Promise<OpenedClaim> => {
  const calendar = await app.calendarTimes.ofContract(app.db.reads.for(userId), userId, contractOf(contract))
  const customerExternalId = address.kind === 'candidate' ? customer.externalId : null
  const whose = { userId, customerId: customer.id, customerExternalId }
  const asStored = { schemaId, schemaVersion, ...(reminders && { reminders }) }
  const made = claimAsCreated(
    { address, reference, ...whose, ...asStored, testClockId, metadata, calendar },
    id,
    createdAt,
    contractOf(contract),
  )
  return { ...made, contract }
}

async function openNew(
  app: App,
  userId: string,
  openings: readonly (Opening | ServiceError)[],
  reserveMemory: ReserveMemory,
): Promise<Outcome[]> {
  const resolved = await resolve(app, userId, openings, reserveMemory)
  const { first, again } = firstOfEachName(resolved.flatMap((claim) => (claim instanceof Error ? [] : claim)))
  const opened = new Map<ClaimAddress, Outcome>(again.map((claim) => [claim.address, conflictOf(claim)]))
  const deadline = performance.now() + CLOCK_WAIT_TIMEOUT_MS
  const toStored = storedContracts()
  const unavailable = new Set<number | null>()
  for (const together of Map.groupBy(first, (claim) => statementOf(app, claim)).values()) {
    const node = nodeOf(app, together[0] as Resolved)
    const left = together.values()
    while (!unavailable.has(node)) {
      const set = await runCooperatively(takeSet(left, toStored))
      if (set.length === 0) break
      const { claims, refused } = await fillInCalendars(app, userId, set)
      for (const [address, error] of refused) opened.set(address, error)
      const outcomes = claims.length === 0 ? [] : await insertEach(app, claims, deadline)
      if ([...outcomes, ...refused.values()].some((outcome) => outcome instanceof DatabaseUnavailable))
        unavailable.add(node)
      for (const [i, { address, kept }] of claims.entries())
        opened.set(address, withKept(outcomes[i] as ClaimWithMetadata | Error, kept))
    }
    // Each further statement could wait for the database as long.
    for (const { address } of left) opened.set(address, notAttempted())
  }
  return resolved.map((claim) => (claim instanceof Error ? claim : (opened.get(claim.address) as Outcome)))
}

/** The Citus node of a claim without a test clock. Null for a test clock, whose claims may be on any node. */
const nodeOf = ({ db }: App, { address, testClockId }: Resolved) =>
  testClockId === null ? db.distribution.nodeOf(claimIdOf(address)) : null

/** Claims with the same value share a statement: claims on one test clock, or claims without one on one node. */
const statementOf = (app: App, claim: Resolved) => claim.testClockId ?? nodeOf(app, claim)

const withKept = (outcome: ClaimWithMetadata | Error, kept: Contract | RawContract): Outcome =>
  kept instanceof RawJson && !(outcome instanceof Error) ? { ...outcome, contract: kept } : outcome

/** Of several candidates with one alias, or claims with one reference, only the first is created. */
function firstOfEachName(claims: readonly Resolved[]): { first: Resolved[]; again: Resolved[] } {
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
 * The claims of the next statement; empty after the last. Contracts are parsed and serialized here, one step each, so that only
 * those of one statement are in memory.
 */
function* takeSet(claims: Iterator<Resolved>, toStored: ToStored): Generator<void, ToInsert[]> {
  const set: ToInsert[] = []
  let characters = 0
  while (characters < FULL_INSERT_CHARACTERS) {
    const { done, value: claim } = claims.next()
    if (done) break
    const contract = toStored(contractOf(claim.contract), claim.schemaId)
    set.push({ ...claim, contract, kept: claim.contract })
    characters += contract.text.length + charactersOfMetadata(claim.metadata)
    yield
  }
  return set
}

/**
 * Fills in the versions of calendars in contracts. Refuses claims whose calendar does not exist or was deleted. Each
 * calendar is read once. If the database is not available, no further calendar is read: each could wait as long.
 */
async function fillInCalendars(
  app: App,
  userId: string,
  set: readonly ToInsert[],
): Promise<{ claims: ToInsert[]; refused: Map<ClaimAddress, Error> }> {
  const db = app.db.reads.for(userId)
  const read = async (named: CalendarReference) => {
    const version = await findVersionOfNewClaim(db, userId, named)
    return { version, time: await app.calendarTimes.ofCalendar(db, userId, { ...named, version }) }
  }
  type Found = Awaited<ReturnType<typeof read>> | Error
  const found = new Map<string, Found>()
  let outage: DatabaseUnavailable | null = null
  const wholes = new Map<Contract, NewContract>()
  const claims: ToInsert[] = []
  const refused = new Map<ClaimAddress, Error>()
  for (const claim of set) {
    const { contract } = claim.contract
    const named = contract.clock?.calendar
    if (!named) {
      claims.push(claim)
      continue
    }
    const key = `${named.id} ${named.version}`
    const one: Found = found.get(key) ?? outage ?? (await read(named).catch((error: Error) => error))
    found.set(key, one)
    if (one instanceof DatabaseUnavailable) outage = one
    if (one instanceof Error) refused.set(claim.address, one)
    else {
      // Claims from one schema share its contract.
      const whole = wholes.get(contract) ?? newContract(withVersion(contract, named, one.version))
      wholes.set(contract, whole)
      claims.push({ ...claim, contract: whole, calendar: one.time, kept: inFormOf(claim.kept, whole) })
    }
  }
  return { claims, refused }
}

/** Each claim has its own outcome. What is stored stays stored if a later claim fails. */
async function insertEach(
  app: App,
  claims: readonly NewClaim[],
  deadline: number,
): Promise<(ClaimWithMetadata | Error)[]> {
  try {
    return await insert(app, claims, deadline)
  } catch (error) {
    // The database may refuse one claim. It must not fail the others.
    const isAlone = claims.length === 1 || error instanceof DatabaseUnavailable
    if (isAlone) return claims.map(() => error as Error)
    const outcomes: (ClaimWithMetadata | Error)[] = []
    for (const claim of claims) {
      const isUnavailable = outcomes.at(-1) instanceof DatabaseUnavailable
      outcomes.push(...(isUnavailable ? [notAttempted()] : await insertEach(app, [claim], deadline)))
    }
    return outcomes
  }
}

const notAttempted = () =>
  new DatabaseUnavailable('The database is not available. This claim was not created.', 'not applied')

/** All claims are on one test clock, or none is. */
async function insert(
  app: App,
  claims: readonly NewClaim[],
  deadline: number,
): Promise<(ClaimWithMetadata | Error)[]> {
  if (!app.db.distribution.isOn) return insertReady(app, claims, deadline)
  const { userId } = claims[0] as NewClaim
  const isReady = await app.creations.newContracts.submit(userId, claims)
  const ready = claims.filter((_, i) => isReady[i])
  const inserted = ready.length === 0 ? [] : await insertReady(app, ready, deadline)
  const outcomes = new Map(ready.map((claim, i) => [claim, inserted[i] as ClaimWithMetadata | Error]))
  return claims.map((claim) => outcomes.get(claim) ?? conflictOf(claim))
}

/**
 * Inserts claims whose contracts exist. Waits for a locked test clock until the deadline, without a connection. Retries
 * after other conflicts until the deadline.
 */
async function insertReady(
  app: App,
  claims: readonly NewClaim[],
  deadline: number,
): Promise<(ClaimWithMetadata | Error)[]> {
  const { userId, testClockId } = claims[0] as NewClaim
  const toOutcomes = (inserted: readonly (ClaimWithMetadata | null)[]) =>
    claims.map((claim, i) => inserted[i] ?? conflictOf(claim))
  if (testClockId === null && !claims.some(({ calendar }) => calendar)) {
    return toOutcomes(await app.creations.newClaims.submit(userId, claims))
  }
  const db = app.db.writes.for(userId)
  for (;;) {
    try {
      if (testClockId === null) return toOutcomes(await insertClaims(db, claims))
      const inserted = await insertClaimsOnTestClock(db, claims, testClockId)
      if (inserted) return toOutcomes(inserted)
    } catch (error) {
      if (!isTransient(error) || performance.now() > deadline) throw error
      continue
    }
    const [found] = await findTestClocks(app.db.reads.for(userId), userId, [testClockId])
    const timeoutMs = deadline - performance.now()
    if (!found || timeoutMs <= 0)
      return claims.map(() => (found ? clockIsLocked(testClockId) : testClockNotFound(testClockId)))
    await app.lockedClocks.untilFreeWithin({ userId, id: testClockId }, timeoutMs)
  }
}

/** Looks up the test clocks and schemas that the openings name. */
async function resolve(
  app: App,
  userId: string,
  openings: readonly (Opening | ServiceError)[],
  reserveMemory: ReserveMemory,
): Promise<(Resolved | Error)[]> {
  const valid = openings.flatMap((opening) => (opening instanceof ServiceError ? [] : opening))
  const clockIds = new Set(valid.flatMap(({ testClockId }) => testClockId ?? []))
  const schemaIds = new Set(valid.flatMap(({ source }) => ('schemaId' in source ? source.schemaId : [])))
  const clocks =
    clockIds.size === 0 ? [] : await findTestClocks(app.db.reads.for(userId), userId, [...clockIds])
  const contracts =
    schemaIds.size === 0 ? null : await readSchemaContracts(app, userId, [...schemaIds], reserveMemory)
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
    const reminders = opening.reminders ? sortReminders(opening.reminders) : ofSchema?.reminders
    return { address, reference, seed, ...whose, ...terms, metadata, ...(reminders && { reminders }) }
  }
  return openings.map(toClaim)
}

type ToStored = (contract: Contract, schemaId: string | null) => NewContract

/** Claims from one schema share its serialized contract. Other contracts are not kept. */
function storedContracts(): ToStored {
  const made = new Map<Contract, NewContract>()
  return (contract, schemaId) => {
    const stored = made.get(contract) ?? newContract(contract)
    if (schemaId !== null) made.set(contract, stored)
    return stored
  }
}

const tooManyContracts = (): ServiceError =>
  new ServiceError(
    'PAYLOAD_TOO_LARGE',
    `The contracts of the batch's schemas up to this item have more than ${MAX_SCHEMA_CONTRACT_BYTES / 1024 / 1024} MiB. Send the item with another batch.`,
  )

/** The name or the id of the claim is taken. */
class NameTaken extends ServiceError {}

function conflictOf({ address, reference }: Pick<NewClaim, 'address' | 'reference'>): ServiceError {
  if (address.kind === 'candidate') {
    const message = `The candidate alias ${JSON.stringify(address.alias)} is taken.`
    return new NameTaken('CANDIDATE_ALIAS_CONFLICT', message)
  }
  // The same request created the claim, and its test clock is being deleted.
  if (reference === null)
    return new NameTaken('UNAVAILABLE', 'The claim is being deleted with its test clock.', {
      headers: RETRY_LATER,
    })
  const message = `The account has a claim with the reference ${JSON.stringify(reference)}: ${address.id}.`
  return new NameTaken('CLAIM_REFERENCE_CONFLICT', message)
}
