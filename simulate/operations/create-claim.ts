import type { Client } from '../clients/client.ts'
import { outcomeOf, parse } from '../clients/client.ts'
import type { Times } from '../clients/exchange.ts'
import { type Account, type ClaimRecord, type Customer, fixedOf, stateOf } from '../clients/world.ts'
import { sawGone, sawThere, sawTime } from '../model/clock-story.ts'
import type { Contract } from '../model/contract.ts'
import { opened } from '../model/contract.ts'
import { demand } from '../model/finding.ts'
import { canonical, type JsonObject, same } from '../model/json.ts'
import { drawContract } from './draw.ts'
import type { SchemaRecord } from './schemas.ts'
import type { ClockRecord } from './test-clocks.ts'

interface Wanted {
  customer: Customer
  contract: Contract
  /** Where the contract is copied from. */
  schema: SchemaRecord | null
  alias: string | null
  clock: ClockRecord | null
}

/** Some that a path, or a spreadsheet, could take for something else. */
const ALIASES = [
  'alias',
  'alias',
  'alias',
  'Alias ü',
  '=1+2+3',
  '-alias',
  'a,"b";c',
  'a/b?c#%41',
  'two\nlines',
]

function drawWanted(client: Client, account: Account, isCandidate: boolean): Wanted {
  const { random, world } = client
  const clock = random.chance(0.35) ? client.pickClock(account) : null
  return {
    clock,
    customer: random.pick(account.customers),
    contract: drawContract(random, clock !== null),
    schema: null,
    alias: isCandidate ? world.nextName(`${random.pick(ALIASES)}-${account.name}`) : null,
  }
}

/** §4.1 and §4.2: a claim, or a candidate, under a contract that comes with it. */
export async function createClaim(client: Client, account: Account): Promise<void> {
  await create(client, account, drawWanted(client, account, client.random.chance(0.4)))
}

/** A claim or candidate by the real time under just this contract. Null: nobody knows whether it is there. */
export async function createUnder(
  client: Client,
  account: Account,
  contract: Contract,
): Promise<ClaimRecord | null> {
  const wanted = { ...drawWanted(client, account, client.random.chance(0.4)), contract, clock: null }
  return await create(client, account, wanted)
}

/** The same under the contract of a schema, which nobody changes meanwhile. */
export async function createFromSchema(client: Client, account: Account): Promise<void> {
  const schema = account.schemas.find(({ isBusy, contract }) => !isBusy && contract !== null)
  if (!schema?.contract) return
  schema.isBusy = true
  const wanted = {
    ...drawWanted(client, account, client.random.chance(0.4)),
    schema,
    contract: schema.contract,
  }
  await create(client, account, wanted)
  schema.isBusy = false
}

async function create(client: Client, account: Account, wanted: Wanted): Promise<ClaimRecord | null> {
  const isCandidate = wanted.alias !== null
  client.world.count(isCandidate ? 'create candidate' : 'create claim')
  const reply = await client.send(account, {
    method: 'POST',
    path: isCandidate ? '/v1/candidates' : '/v1/claims',
    body: JSON.stringify(bodyOf(wanted)),
  })
  const outcome = outcomeOf(reply)
  if (outcome === 'unknown') noteUnknown(account, wanted)
  if (reply.is !== 'answer' || reply.status >= 500) return null
  return addCreation(account, wanted, reply.status, parse(reply.text), reply)
}

const MOST_IN_BATCH = 8

/** Many in one request, each of which stands alone. */
export async function createBatch(client: Client, account: Account): Promise<void> {
  const { random, world } = client
  const isOfCandidates = random.chance(0.5)
  const kind = isOfCandidates ? 'candidates' : 'claims'
  const wanted = Array.from({ length: random.int(1, MOST_IN_BATCH) }, () =>
    drawWanted(client, account, isOfCandidates),
  )
  world.count(`create ${kind} in a batch`, wanted.length)
  const body = JSON.stringify({ [kind]: wanted.map(bodyOf) })
  const reply = await client.send(account, { method: 'POST', path: `/v1/${kind}/batch`, body })
  const outcome = outcomeOf(reply)
  if (outcome === 'unknown') for (const one of wanted) noteUnknown(account, one)
  if (reply.is !== 'answer' || outcome !== 'done') return
  const results = parse(reply.text).results as JsonObject[]
  demand(
    results.length === wanted.length,
    () => 'a batch has as many results as items',
    () => reply,
  )
  for (const [i, one] of wanted.entries()) {
    const result = results[i] as JsonObject
    const isUnknown =
      Number(result.status) >= 500 && (Number(result.status) === 500 || /not known/.test(canonical(result)))
    if (isUnknown) noteUnknown(account, one)
    if (Number(result.status) >= 500) continue
    addCreation(account, one, Number(result.status), (result.claim ?? result.candidate) as JsonObject, reply)
  }
}

function noteUnknown(account: Account, { clock }: Wanted): void {
  account.unknownClaims++
  if (clock) clock.unknownClaims++
}

/** An alias stays taken, by whoever has it. */
export async function createTaken(client: Client, account: Account): Promise<void> {
  const owner = client.random.pick(client.world.accounts)
  const taken = owner.claims.findLast(({ alias, clock }) => alias !== null && clock === null)
  // Of aliases of others a server tells about a hundred a minute only.
  if (!taken || (owner !== account && client.random.chance(0.7))) return
  client.world.count('create taken candidate')
  const wanted = { ...drawWanted(client, account, true), alias: taken.alias }
  const reply = await client.send(account, {
    method: 'POST',
    path: '/v1/candidates',
    body: JSON.stringify(bodyOf(wanted)),
  })
  if (reply.is !== 'answer' || reply.status >= 500 || reply.status === 404) return
  const isRefused = reply.status === 409 || (reply.status === 429 && owner !== account)
  demand(
    isRefused,
    () => `the alias ${taken.alias} is taken, and a creation was answered ${reply.status}`,
    () => reply,
  )
}

function bodyOf({ customer, contract, schema, alias, clock }: Wanted): JsonObject {
  const by: JsonObject = clock === null ? {} : { test_clock_id: clock.id }
  const whose: JsonObject =
    alias === null
      ? { customer_id: customer.id }
      : { candidate_alias: alias, customer_uuid: customer.externalId }
  const terms: JsonObject = schema
    ? { schema_id: schema.id }
    : { contract: contract as unknown as JsonObject }
  return { ...whose, ...by, ...terms }
}

function addCreation(
  account: Account,
  wanted: Wanted,
  status: number,
  body: JsonObject,
  times: Times,
): ClaimRecord | null {
  if (status === 404 && wanted.clock) {
    sawGone(wanted.clock, 'a creation finds it gone', times.sentAt, times.answeredAt)
    return null
  }
  demand(
    status === 201,
    () => `a creation was answered ${status}`,
    () => ({ wanted, body }),
  )
  return addClaim(account, wanted, body, times.sentAt, times.answeredAt)
}

function addClaim(
  account: Account,
  wanted: Wanted,
  body: JsonObject,
  sentAt: number,
  answeredAt: number,
): ClaimRecord {
  const { alias, clock, contract, customer } = wanted
  const address = alias ?? (body.id as string)
  const createdAt = Date.parse(body.created_at as string)
  const terms = { contract, createdAt, isOnClock: clock !== null }
  const state = stateOf(body)
  const about = () => ({ wanted, body })
  demand(same(body.events, []), () => 'a new claim has events', about)
  demand(
    canonical(body.contract) === canonical(contract as unknown as JsonObject),
    () => 'a new claim has another contract than was sent',
    about,
  )
  demand(
    same({ ...state }, { ...opened(contract, createdAt) }),
    () => 'a new claim is not OPEN from its creation on',
    about,
  )
  demand(body.schema_id === (wanted.schema?.id ?? null), () => 'a new claim has another schema', about)
  demand(body.test_clock_id === (clock?.id ?? null), () => 'a new claim is on another clock', about)
  if (clock) {
    sawTime(clock, `${address} was created`, sentAt, answeredAt, createdAt)
    sawThere(clock, `${address} was created`, sentAt, answeredAt)
  }
  const record: ClaimRecord = {
    name: alias === null ? `claim ${address}` : `candidate ${address}`,
    terms,
    submissions: [],
    looks: [{ how: 'its creation', sentAt, answeredAt, state, items: 0 }],
    longest: [],
    account,
    customer,
    clock,
    alias,
    address,
    path: alias === null ? `/v1/claims/${address}` : `/v1/candidates/${encodeURIComponent(alias)}`,
    fixed: fixedOf(body),
    sentAt,
    answeredAt,
    isGone: false,
    uses: 0,
    status: 'OPEN',
  }
  account.claims.push(record)
  account.byAddress.set(address, record)
  return record
}
