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
import { CLOCK_WAIT_TIMEOUT_MS, MAX_CHARACTERS_PER_INSERT, MAX_IDS_PER_LOOKUP } from '../limits.ts'
import {
  type ContractSource,
  contractOf,
  type RawContract,
  type ReserveMemory,
  readSchemaContracts,
} from './resolve-contract.ts'

type ResolvedRequest = WithContract<NewClaim, Contract | RawContract>
/** A claim to insert, and the contract of the result. */
type ClaimToInsert = NewClaim & { resultContract: Contract | RawContract }
/** The contract has the form of the request: parsed, or JSON if it is large. */
export type CreatedClaim = WithContract<ClaimWithMetadata, Contract | RawContract>
export type CreationResult = CreatedClaim | Error

/** The terms of a new claim or candidate. They do not identify it. */
export interface CreationTerms {
  source: ContractSource
  testClockId: string | null
  metadata: Metadata
  /** Null: the reminders of the schema apply. */
  reminders: readonly number[] | null
}

/** A claim or candidate to create. */
export interface CreationRequest extends CreationTerms {
  address: ClaimAddress
  /** The caller's reference, from which the id of the claim is derived; null for none. */
  reference: string | null
  /** Derived from the idempotency key and the index in the request; null without a key. */
  seed: string | null
  customer: CustomerKey
}

/**
 * Creates claims or candidates of the account. Returns for each request the claim or an error, in the order of the requests. A
 * request that is an error is its own result. Errors: TEST_CLOCK_NOT_FOUND, SCHEMA_NOT_FOUND, PAYLOAD_TOO_LARGE for too many
 * contracts of schemas, CANDIDATE_ALIAS_CONFLICT, CLAIM_REFERENCE_CONFLICT, UNAVAILABLE. If an earlier attempt with the idempotency
 * key created a claim, the result is the claim in its state after creation.
 * @param key idempotency key of the request; null for none
 */
export async function createClaimsOrCandidates(
  app: App,
  userId: string,
  requests: readonly (CreationRequest | ServiceError)[],
  reserveMemory: ReserveMemory,
  key: CreationKey | null,
): Promise<CreationResult[]> {
  if (key === null) return createNew(app, userId, requests, reserveMemory)
  const valid = requests.flatMap((request) => (request instanceof ServiceError ? [] : request))
  const earlier = key.isKnown
    ? await findCreatedBefore(app, userId, valid, key)
    : new Map<CreationRequest, CreationResult>()
  const rest = requests.filter((request) => request instanceof ServiceError || !earlier.has(request))
  const created = await createNew(app, userId, rest, reserveMemory)
  const results = new Map<CreationRequest | ServiceError, CreationResult>([
    ...earlier,
    ...rest.map((request, i) => [request, created[i] as CreationResult] as const),
  ])
  // Another attempt of the request may be in progress on another connection, and may have created the claim.
  const conflicting = valid.filter((request) => results.get(request) instanceof NameTaken)
  if (conflicting.length > 0)
    for (const [request, result] of await findCreatedMeanwhile(app, userId, conflicting, key))
      results.set(request, result)
  return requests.map((request) => results.get(request) as CreationResult)
}

/** As `findCreatedBefore`. If it fails, only these requests fail: the claims of the other requests are already created. */
async function findCreatedMeanwhile(
  app: App,
  userId: string,
  conflicting: readonly CreationRequest[],
  key: CreationKey,
): Promise<Map<CreationRequest, CreationResult>> {
  try {
    return await findCreatedBefore(app, userId, conflicting, key)
  } catch (error) {
    return new Map(conflicting.map((request) => [request, error as Error]))
  }
}

/**
 * The claims that earlier attempts with the idempotency key created, in their state after creation (§4.17). An error for a claim if
 * the contracts of the schemas are too large together.
 */
async function findCreatedBefore(
  app: App,
  userId: string,
  requests: readonly CreationRequest[],
  key: CreationKey,
): Promise<Map<CreationRequest, CreationResult>> {
  const created: [CreationRequest, Creation][] = []
  for (let from = 0; from < requests.length; from += MAX_IDS_PER_LOOKUP) {
    const batch = requests.slice(from, from + MAX_IDS_PER_LOOKUP)
    const ids = batch.map(({ address }) => claimIdOf(address))
    const found = await findCreations(app.db.reads.for(userId), userId, ids)
    for (const [i, request] of batch.entries()) {
      const creation = found.get(ids[i] as string)
      if (creation && creation.seed === request.seed) created.push([request, creation])
    }
  }
  if (created.length > 0) key.hasCreated = true
  const hashes = created.flatMap(([{ source }, { contractHash }]) =>
    'contract' in source ? [] : (contractHash ?? []),
  )
  const stored = await readStored(app, userId, [...new Set(hashes)])
  const results = new Map<CreationRequest, CreationResult>()
  for (const [request, creation] of created) {
    const { source } = request
    const contract =
      'contract' in source
        ? withStoredVersion(source.contract, creation.calendarVersion)
        : stored.get(creation.contractHash ?? '')
    const result = contract
      ? await toCreatedClaim(app, userId, request, creation, contract)
      : tooManyContracts()
    results.set(request, result)
  }
  return results
}

/** The contract of the request with the calendar version that the creation stored. */
function withStoredVersion(sent: Contract | RawContract, version: number | null): Contract | RawContract {
  if (version === null) return sent
  const contract = contractOf(sent)
  const named = contract.clock?.calendar
  return named ? inSameForm(sent, newContract(withVersion(contract, named, version))) : sent
}

/** The contract in the form of the request: JSON if the request had JSON. */
const inSameForm = (form: Contract | RawContract, { contract, text }: NewContract): Contract | RawContract =>
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

const toCreatedClaim = async (
  app: App,
  userId: string,
  { address, reference, customer, testClockId, metadata }: CreationRequest,
  { id, createdAt, schemaId, schemaVersion, reminders }: Creation,
  contract: Contract | RawContract,
): Promise<CreatedClaim> => {
  const calendar = await app.calendarTimes.ofContract(app.db.reads.for(userId), userId, contractOf(contract))
  const customerExternalId = address.kind === 'candidate' ? customer.externalId : null
  const owner = { userId, customerId: customer.id, customerExternalId }
  const stored = { schemaId, schemaVersion, ...(reminders && { reminders }) }
  const made = claimAsCreated(
    { address, reference, ...owner, ...stored, testClockId, metadata, calendar },
    id,
    createdAt,
    contractOf(contract),
  )
  return { ...made, contract }
}

async function createNew(
  app: App,
  userId: string,
  requests: readonly (CreationRequest | ServiceError)[],
  reserveMemory: ReserveMemory,
): Promise<CreationResult[]> {
  const resolved = await resolve(app, userId, requests, reserveMemory)
  const { unique, duplicates } = splitDuplicates(
    resolved.flatMap((claim) => (claim instanceof Error ? [] : claim)),
  )
  const results = new Map<ClaimAddress, CreationResult>(
    duplicates.map((claim) => [claim.address, conflictOf(claim)]),
  )
  const deadline = performance.now() + CLOCK_WAIT_TIMEOUT_MS
  const serialize = contractSerializer()
  const unavailableNodes = new Set<number | null>()
  for (const group of Map.groupBy(unique, (claim) => statementKeyOf(app, claim)).values()) {
    const node = nodeOf(app, group[0] as ResolvedRequest)
    const remaining = group.values()
    while (!unavailableNodes.has(node)) {
      const batch = await runCooperatively(takeBatch(remaining, serialize))
      if (batch.length === 0) break
      const { claims, refused } = await fillInCalendars(app, userId, batch)
      for (const [address, error] of refused) results.set(address, error)
      const inserted = claims.length === 0 ? [] : await insertEach(app, claims, deadline)
      if ([...inserted, ...refused.values()].some((result) => result instanceof DatabaseUnavailable))
        unavailableNodes.add(node)
      for (const [i, { address, resultContract }] of claims.entries())
        results.set(address, withResultContract(inserted[i] as ClaimWithMetadata | Error, resultContract))
    }
    // Without this, each further statement could wait for the unavailable database until its timeout.
    for (const { address } of remaining) results.set(address, notAttempted())
  }
  return resolved.map((claim) =>
    claim instanceof Error ? claim : (results.get(claim.address) as CreationResult),
  )
}

/** The Citus node of a claim without a test clock. Null for a test clock, whose claims may be on any node. */
const nodeOf = ({ db }: App, { address, testClockId }: ResolvedRequest) =>
  testClockId === null ? db.distribution.nodeOf(claimIdOf(address)) : null

/** Claims with the same value share a statement: claims on one test clock, or claims without one on one node. */
const statementKeyOf = (app: App, claim: ResolvedRequest) => claim.testClockId ?? nodeOf(app, claim)

const withResultContract = (
  result: ClaimWithMetadata | Error,
  contract: Contract | RawContract,
): CreationResult =>
  contract instanceof RawJson && !(result instanceof Error) ? { ...result, contract } : result

/** Of several candidates with one alias, or claims with one reference, only the first is created. */
function splitDuplicates(claims: readonly ResolvedRequest[]) {
  const names = new Set<string>()
  const unique: ResolvedRequest[] = []
  const duplicates: ResolvedRequest[] = []
  for (const claim of claims) {
    const { address, reference } = claim
    const name = address.kind === 'candidate' ? address.alias : reference
    const list = name !== null && names.has(name) ? duplicates : unique
    list.push(claim)
    if (name !== null) names.add(name)
  }
  return { unique, duplicates }
}

/**
 * Takes the claims of the next statement; none after the last claim. Parses and serializes their contracts, one in each step, so
 * that only the contracts of one statement are in memory.
 */
function* takeBatch(
  claims: Iterator<ResolvedRequest>,
  serialize: SerializeContract,
): Generator<void, ClaimToInsert[]> {
  const batch: ClaimToInsert[] = []
  let characters = 0
  while (characters < MAX_CHARACTERS_PER_INSERT) {
    const { done, value: claim } = claims.next()
    if (done) break
    const contract = serialize(contractOf(claim.contract), claim.schemaId)
    batch.push({ ...claim, contract, resultContract: claim.contract })
    characters += contract.text.length + charactersOfMetadata(claim.metadata)
    yield
  }
  return batch
}

/**
 * Fills in the versions of calendars in contracts. Refuses claims whose calendar does not exist or was deleted. Each
 * calendar is read once. If the database is not available, no further calendar is read: each read could wait until its timeout.
 */
async function fillInCalendars(
  app: App,
  userId: string,
  batch: readonly ClaimToInsert[],
): Promise<{ claims: ClaimToInsert[]; refused: Map<ClaimAddress, Error> }> {
  const db = app.db.reads.for(userId)
  const read = async (named: CalendarReference) => {
    const version = await findVersionOfNewClaim(db, userId, named)
    return { version, time: await app.calendarTimes.ofCalendar(db, userId, { ...named, version }) }
  }
  type Found = Awaited<ReturnType<typeof read>> | Error
  const found = new Map<string, Found>()
  let outage: DatabaseUnavailable | null = null
  const completed = new Map<Contract, NewContract>()
  const claims: ClaimToInsert[] = []
  const refused = new Map<ClaimAddress, Error>()
  for (const claim of batch) {
    const { contract } = claim.contract
    const named = contract.clock?.calendar
    if (!named) {
      claims.push(claim)
      continue
    }
    const key = `${named.id} ${named.version}`
    const calendar: Found = found.get(key) ?? outage ?? (await read(named).catch((error: Error) => error))
    found.set(key, calendar)
    if (calendar instanceof DatabaseUnavailable) outage = calendar
    if (calendar instanceof Error) refused.set(claim.address, calendar)
    else {
      // Claims from one schema share its contract.
      const complete = completed.get(contract) ?? newContract(withVersion(contract, named, calendar.version))
      completed.set(contract, complete)
      const resultContract = inSameForm(claim.resultContract, complete)
      claims.push({ ...claim, contract: complete, calendar: calendar.time, resultContract })
    }
  }
  return { claims, refused }
}

/** Returns a result for each claim. If the statement fails, inserts each claim with a statement of its own. */
async function insertEach(
  app: App,
  claims: readonly NewClaim[],
  deadline: number,
): Promise<(ClaimWithMetadata | Error)[]> {
  try {
    return await insert(app, claims, deadline)
  } catch (error) {
    // A claim that the database refuses must not fail the others.
    const canRetry = claims.length > 1 && !(error instanceof DatabaseUnavailable)
    if (!canRetry) return claims.map(() => error as Error)
    const results: (ClaimWithMetadata | Error)[] = []
    for (const claim of claims) {
      const isUnavailable = results.at(-1) instanceof DatabaseUnavailable
      results.push(...(isUnavailable ? [notAttempted()] : await insertEach(app, [claim], deadline)))
    }
    return results
  }
}

const notAttempted = () =>
  new DatabaseUnavailable('The database is not available. This claim was not created.', 'not applied')

/** Inserts claims of one test clock, or claims without a test clock. */
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
  const results = new Map(ready.map((claim, i) => [claim, inserted[i] as ClaimWithMetadata | Error]))
  return claims.map((claim) => results.get(claim) ?? conflictOf(claim))
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

/** Looks up the test clocks and schemas that the requests name. */
async function resolve(
  app: App,
  userId: string,
  requests: readonly (CreationRequest | ServiceError)[],
  reserveMemory: ReserveMemory,
): Promise<(ResolvedRequest | Error)[]> {
  const valid = requests.flatMap((request) => (request instanceof ServiceError ? [] : request))
  const clockIds = new Set(valid.flatMap(({ testClockId }) => testClockId ?? []))
  const schemaIds = new Set(valid.flatMap(({ source }) => ('schemaId' in source ? source.schemaId : [])))
  const clocks =
    clockIds.size === 0 ? [] : await findTestClocks(app.db.reads.for(userId), userId, [...clockIds])
  const contracts =
    schemaIds.size === 0 ? null : await readSchemaContracts(app, userId, [...schemaIds], reserveMemory)
  const knownClocks = new Set(clocks.map(({ id }) => id))

  const toClaim = (request: CreationRequest | ServiceError): ResolvedRequest | Error => {
    if (request instanceof ServiceError) return request
    const { address, reference, seed, customer, source, testClockId, metadata } = request
    if (testClockId !== null && !knownClocks.has(testClockId)) return testClockNotFound(testClockId)
    const schemaId = 'schemaId' in source ? source.schemaId : null
    const schemaTerms = schemaId === null ? undefined : contracts?.get(schemaId)
    const contract = 'contract' in source ? source.contract : schemaTerms?.contract
    if (contract === null) return tooManyContracts()
    if (contract instanceof Error) return contract
    if (!contract) return schemaNotFound(`${schemaId}`)
    const customerExternalId = address.kind === 'candidate' ? customer.externalId : null
    const terms = { contract, schemaId, schemaVersion: schemaTerms?.version ?? null, testClockId }
    const owner = { userId, customerId: customer.id, customerExternalId }
    const reminders = request.reminders ? sortReminders(request.reminders) : schemaTerms?.reminders
    return { address, reference, seed, ...owner, ...terms, metadata, ...(reminders && { reminders }) }
  }
  return requests.map(toClaim)
}

type SerializeContract = (contract: Contract, schemaId: string | null) => NewContract

/** Serializes contracts. Claims from one schema share its serialized contract. Other contracts are not cached. */
function contractSerializer(): SerializeContract {
  const cache = new Map<Contract, NewContract>()
  return (contract, schemaId) => {
    const serialized = cache.get(contract) ?? newContract(contract)
    if (schemaId !== null) cache.set(contract, serialized)
    return serialized
  }
}

const tooManyContracts = (): ServiceError =>
  new ServiceError(
    'PAYLOAD_TOO_LARGE',
    `The contracts of the batch's schemas up to this item have more than ${MAX_SCHEMA_CONTRACT_BYTES / 1024 / 1024} MiB. Send the item with another batch.`,
  )

/** The alias, the reference or the id of the claim exists. A retry with the idempotency key may have created it. */
class NameTaken extends ServiceError {}

function conflictOf({ address, reference }: Pick<NewClaim, 'address' | 'reference'>): ServiceError {
  if (address.kind === 'candidate') {
    const message = `The candidate alias ${JSON.stringify(address.alias)} is taken.`
    return new NameTaken('CANDIDATE_ALIAS_CONFLICT', message)
  }
  // The id is derived from the idempotency key: an earlier attempt created the claim, whose test clock is being deleted.
  if (reference === null)
    return new NameTaken('UNAVAILABLE', 'The claim is being deleted with its test clock.', {
      headers: RETRY_LATER,
    })
  const message = `The account has a claim with the reference ${JSON.stringify(reference)}: ${address.id}.`
  return new NameTaken('CLAIM_REFERENCE_CONFLICT', message)
}
