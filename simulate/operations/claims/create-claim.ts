import { type Client, outcomeOf, parse } from '../../clients/client.ts'
import type { Account, ClaimRecord } from '../../clients/records.ts'
import type { Contract } from '../../model/contract.ts'
import { demand } from '../../model/finding.ts'
import { addClaim, addCreation, forgetUnknown, noteUnknown } from './add-claim.ts'
import { bodyOf, drawWanted, underContract, type Wanted } from './wanted-claim.ts'

/** §4.1 and §4.2: a claim or a candidate with its own contract. */
export async function createClaim(client: Client, account: Account): Promise<void> {
  await create(client, account, drawWanted(client, account, client.random.chance(0.4)))
}

/** A claim or candidate without a test clock, with this contract. Null: outcome unknown. */
export async function createUnder(
  client: Client,
  account: Account,
  contract: Contract,
): Promise<ClaimRecord | null> {
  const wanted = {
    ...drawWanted(client, account, client.random.chance(0.4)),
    ...underContract(account, contract),
    clock: null,
  }
  return await create(client, account, wanted)
}

/** With the contract of a schema that no client changes meanwhile. */
export async function createFromSchema(client: Client, account: Account): Promise<void> {
  const schema = account.schemas.find(({ isBusy, contract }) => !isBusy && contract !== null)
  if (!schema?.contract) return
  schema.isBusy = true
  const wanted = {
    ...drawWanted(client, account, client.random.chance(0.4)),
    schema,
    ...underContract(account, schema.contract),
  }
  await create(client, account, wanted)
  schema.isBusy = false
}

async function create(client: Client, account: Account, wanted: Wanted): Promise<ClaimRecord | null> {
  account.claimsUnderWay++
  try {
    return await createOne(client, account, wanted)
  } finally {
    account.claimsUnderWay--
  }
}

async function createOne(client: Client, account: Account, wanted: Wanted): Promise<ClaimRecord | null> {
  const isCandidate = wanted.alias !== null
  client.world.count(isCandidate ? 'create candidate' : 'create claim')
  const reply = await client.send(account, {
    method: 'POST',
    path: isCandidate ? '/v1/candidates' : '/v1/claims',
    body: JSON.stringify(bodyOf(wanted)),
  })
  const outcome = outcomeOf(reply)
  if (outcome === 'unknown') noteUnknown(account, wanted)
  if (outcome === 'unknown' && isCandidate) return await createAgain(client, account, wanted, reply.sentAt)
  if (reply.is !== 'answer' || reply.status >= 500) return null
  return addCreation(account, wanted, reply.status, parse(reply.text), reply)
}

const MOST_TRIES = 3

/** Repeats the creation of a candidate without a response: it exists or can be created, never twice. */
async function createAgain(
  client: Client,
  account: Account,
  wanted: Wanted,
  sentAt: number,
): Promise<ClaimRecord | null> {
  const path = `/v1/candidates/${encodeURIComponent(wanted.alias as string)}`
  for (let i = 0; i < MOST_TRIES; i++) {
    client.world.count('create candidate again')
    const body = JSON.stringify(bodyOf(wanted))
    const reply = await client.send(account, { method: 'POST', path: '/v1/candidates', body })
    if (reply.is !== 'answer' || reply.status >= 500) continue
    if (reply.status !== 409) {
      forgetUnknown(account, wanted)
      return addCreation(account, wanted, reply.status, parse(reply.text), reply)
    }
    const read = await client.send(account, { method: 'GET', path })
    if (read.is !== 'answer' || read.status >= 500) continue
    // The claim may have been deleted with its clock.
    if (read.status === 404 && wanted.clock) return null
    demand(
      read.status === 200,
      () => `the alias ${wanted.alias} is taken, and reading it answered ${read.status}`,
      () => read,
    )
    forgetUnknown(account, wanted)
    return addClaim(account, wanted, parse(read.text), sentAt, read.answeredAt)
  }
  return null
}

/** A reference is unique within its account: another claim with it is refused, and it leads to the existing claim. */
export async function createReferenced(client: Client, account: Account): Promise<void> {
  const taken = account.claims.findLast(({ fixed, clock }) => fixed.reference && clock === null)
  if (!taken) return
  const reference = taken.fixed.reference as string
  client.world.count('create claim with a taken reference')
  const wanted = { ...drawWanted(client, account, false), reference }
  const body = JSON.stringify(bodyOf(wanted))
  const reply = await client.send(account, { method: 'POST', path: '/v1/claims', body })
  if (reply.is === 'answer' && reply.status < 500 && reply.status !== 404) {
    demand(
      reply.status === 409,
      () => `the reference ${reference} is taken, and a creation was answered ${reply.status}`,
      () => reply,
    )
  }
  const path = `/v1/claims?reference=${encodeURIComponent(reference)}`
  const list = await client.send(account, { method: 'GET', path })
  if (list.is !== 'answer' || list.status >= 500) return
  const ids = (parse(list.text).data as { id: string }[]).map(({ id }) => id)
  demand(
    ids.length === 1 && ids[0] === taken.address,
    () => `the reference ${reference} does not lead to its claim alone`,
    () => list,
  )
}

/** An alias stays taken. */
export async function createTaken(client: Client, account: Account): Promise<void> {
  const owner = client.random.pick(client.world.accounts)
  const taken = owner.claims.findLast(({ alias, clock }) => alias !== null && clock === null)
  // A server reveals only about a hundred aliases of other accounts a minute.
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
