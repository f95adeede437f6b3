import { sawGone, sawThere, sawTime } from '../model/clock-story.ts'
import type { Contract } from '../model/contract.ts'
import { opened } from '../model/contract.ts'
import { demand } from '../model/finding.ts'
import { canonical, type JsonObject, same } from '../model/json.ts'
import type { Client } from './client.ts'
import { outcomeOf, parse } from './client.ts'
import { drawContract } from './draw.ts'
import type { ClockRecord } from './test-clocks.ts'
import { type Account, type ClaimRecord, type Customer, fixedOf, stateOf } from './world.ts'

interface Wanted {
  customer: Customer
  contract: Contract
  alias: string | null
  clock: ClockRecord | null
}

export function drawWanted(client: Client, account: Account): Wanted {
  const { random, world } = client
  const clock = random.chance(0.35) ? client.pickClock(account) : null
  return {
    clock,
    customer: random.pick(account.customers),
    contract: drawContract(random, clock !== null),
    alias: random.chance(0.4) ? world.nextName(`alias-${account.name}`) : null,
  }
}

/** §4.1 and §4.2: a claim, or a candidate, under a contract that comes with it. */
export async function createClaim(client: Client, account: Account): Promise<void> {
  const wanted = drawWanted(client, account)
  const isCandidate = wanted.alias !== null
  client.world.count(isCandidate ? 'create candidate' : 'create claim')
  const reply = await client.send(account, {
    method: 'POST',
    path: isCandidate ? '/v1/candidates' : '/v1/claims',
    body: JSON.stringify(bodyOf(wanted)),
  })
  const outcome = outcomeOf(reply)
  if (outcome === 'unknown') {
    account.unknownClaims++
    if (wanted.clock) wanted.clock.unknownClaims++
  }
  if (reply.is !== 'answer' || reply.status >= 500) return
  if (reply.status === 404 && wanted.clock) {
    return sawGone(wanted.clock, 'a creation finds it gone', reply.sentAt, reply.answeredAt)
  }
  demand(
    reply.status === 201,
    () => `a creation was answered ${reply.status}`,
    () => ({ wanted, reply }),
  )
  addClaim(account, wanted, parse(reply.text), reply.sentAt, reply.answeredAt)
}

export function bodyOf({ customer, contract, alias, clock }: Wanted): JsonObject {
  const by: JsonObject = clock === null ? {} : { test_clock_id: clock.id }
  const whose: JsonObject =
    alias === null
      ? { customer_id: customer.id }
      : { candidate_alias: alias, customer_uuid: customer.externalId }
  return { ...whose, ...by, contract: contract as unknown as JsonObject }
}

export function addClaim(
  account: Account,
  wanted: Wanted,
  body: JsonObject,
  sentAt: number,
  answeredAt: number,
): void {
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
}
