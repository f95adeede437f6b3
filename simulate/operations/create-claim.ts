import type { Contract } from '../model/contract.ts'
import { opened } from '../model/contract.ts'
import { demand } from '../model/finding.ts'
import { canonical, type JsonObject, same } from '../model/json.ts'
import type { Client } from './client.ts'
import { parse } from './client.ts'
import { drawContract } from './draw.ts'
import { type Account, type ClaimRecord, type Customer, fixedOf, stateOf } from './world.ts'

interface Wanted {
  customer: Customer
  contract: Contract
  alias: string | null
}

export function drawWanted(client: Client, account: Account): Wanted {
  const { random, world } = client
  return {
    customer: random.pick(account.customers),
    contract: drawContract(random, false),
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
  if (reply.is === 'not sent') return
  if (reply.is === 'lost' || reply.status >= 500) {
    account.unknownClaims++
    return
  }
  demand(
    reply.status === 201,
    () => `a creation was answered ${reply.status}`,
    () => ({ wanted, reply }),
  )
  addClaim(account, wanted, parse(reply.text), reply.sentAt, reply.answeredAt)
}

export function bodyOf({ customer, contract, alias }: Wanted): JsonObject {
  const whose: JsonObject =
    alias === null
      ? { customer_id: customer.id }
      : { candidate_alias: alias, customer_uuid: customer.externalId }
  return { ...whose, contract: contract as unknown as JsonObject }
}

export function addClaim(
  account: Account,
  wanted: Wanted,
  body: JsonObject,
  sentAt: number,
  answeredAt: number,
): void {
  const { alias, contract, customer } = wanted
  const address = alias ?? (body.id as string)
  const createdAt = Date.parse(body.created_at as string)
  const terms = { contract, createdAt, isOnClock: false }
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
  const record: ClaimRecord = {
    name: alias === null ? `claim ${address}` : `candidate ${address}`,
    terms,
    submissions: [],
    looks: [{ how: 'its creation', sentAt, answeredAt, state, items: 0 }],
    longest: [],
    account,
    customer,
    alias,
    address,
    path: alias === null ? `/v1/claims/${address}` : `/v1/candidates/${encodeURIComponent(alias)}`,
    fixed: fixedOf(body),
    sentAt,
    answeredAt,
    uses: 0,
    status: 'OPEN',
  }
  account.claims.push(record)
}
