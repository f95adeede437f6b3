import { type Client, outcomeOf, parse } from '../../clients/client.ts'
import type { Account, ClaimRecord } from '../../clients/records.ts'
import type { Contract } from '../../model/contract.ts'
import { assert } from '../../model/finding.ts'
import { addClaim, addCreation, addUnknown, removeUnknown } from './add-claim.ts'
import { bodyOf, drawNewClaim, type NewClaim, underContract } from './new-claim.ts'

/** §4.1 and §4.2: a claim or a candidate with its own contract. */
export async function createClaim(client: Client, account: Account): Promise<void> {
  await create(client, account, drawNewClaim(client, account, client.random.chance(0.4)))
}

/** A claim or candidate without a test clock, with this contract. Null: outcome unknown. */
export async function createUnder(
  client: Client,
  account: Account,
  contract: Contract,
): Promise<ClaimRecord | null> {
  const newClaim = {
    ...drawNewClaim(client, account, client.random.chance(0.4)),
    ...underContract(account, contract),
    clock: null,
  }
  return await create(client, account, newClaim)
}

/** With the contract of a schema that no client changes meanwhile. */
export async function createFromSchema(client: Client, account: Account): Promise<void> {
  const schema = account.schemas.find(({ isBusy, contract }) => !isBusy && contract !== null)
  if (!schema?.contract) return
  schema.isBusy = true
  const newClaim = {
    ...drawNewClaim(client, account, client.random.chance(0.4)),
    schema,
    ...underContract(account, schema.contract),
  }
  await create(client, account, newClaim)
  schema.isBusy = false
}

async function create(client: Client, account: Account, newClaim: NewClaim): Promise<ClaimRecord | null> {
  account.claimsInProgress++
  try {
    return await createOne(client, account, newClaim)
  } finally {
    account.claimsInProgress--
  }
}

async function createOne(client: Client, account: Account, newClaim: NewClaim): Promise<ClaimRecord | null> {
  const isCandidate = newClaim.alias !== null
  client.world.count(isCandidate ? 'create candidate' : 'create claim')
  const reply = await client.send(account, {
    method: 'POST',
    path: isCandidate ? '/v1/candidates' : '/v1/claims',
    body: JSON.stringify(bodyOf(newClaim)),
  })
  const outcome = outcomeOf(reply)
  if (outcome === 'unknown') addUnknown(account, newClaim)
  if (outcome === 'unknown' && isCandidate) return await createAgain(client, account, newClaim, reply.sentAt)
  if (reply.kind !== 'answer' || reply.status >= 500) return null
  return addCreation(account, newClaim, reply.status, parse(reply.text), reply)
}

const MAX_TRIES = 3

/** Repeats the creation of a candidate without a response: it exists or can be created, never twice. */
async function createAgain(
  client: Client,
  account: Account,
  newClaim: NewClaim,
  sentAt: number,
): Promise<ClaimRecord | null> {
  const path = `/v1/candidates/${encodeURIComponent(newClaim.alias as string)}`
  for (let i = 0; i < MAX_TRIES; i++) {
    client.world.count('create candidate again')
    const body = JSON.stringify(bodyOf(newClaim))
    const reply = await client.send(account, { method: 'POST', path: '/v1/candidates', body })
    if (reply.kind !== 'answer' || reply.status >= 500) continue
    if (reply.status !== 409) {
      removeUnknown(account, newClaim)
      return addCreation(account, newClaim, reply.status, parse(reply.text), reply)
    }
    const read = await client.send(account, { method: 'GET', path })
    if (read.kind !== 'answer' || read.status >= 500) continue
    // The claim may have been deleted with its clock.
    if (read.status === 404 && newClaim.clock) return null
    assert(
      read.status === 200,
      () => `the alias ${newClaim.alias} is taken, and reading it answered ${read.status}`,
      () => read,
    )
    removeUnknown(account, newClaim)
    return addClaim(account, newClaim, parse(read.text), sentAt, read.answeredAt)
  }
  return null
}

/** A reference is unique within its account: another claim with it is refused, and it leads to the existing claim. */
export async function createWithTakenReference(client: Client, account: Account): Promise<void> {
  const taken = account.claims.findLast(({ fixed, clock }) => fixed.reference && clock === null)
  if (!taken) return
  const reference = taken.fixed.reference as string
  client.world.count('create claim with a taken reference')
  const newClaim = { ...drawNewClaim(client, account, false), reference }
  const body = JSON.stringify(bodyOf(newClaim))
  const reply = await client.send(account, { method: 'POST', path: '/v1/claims', body })
  if (reply.kind === 'answer' && reply.status < 500 && reply.status !== 404) {
    assert(
      reply.status === 409,
      () => `the reference ${reference} is taken, and a creation was answered ${reply.status}`,
      () => reply,
    )
  }
  const path = `/v1/claims?reference=${encodeURIComponent(reference)}`
  const list = await client.send(account, { method: 'GET', path })
  if (list.kind !== 'answer' || list.status >= 500) return
  const ids = (parse(list.text).data as { id: string }[]).map(({ id }) => id)
  assert(
    ids.length === 1 && ids[0] === taken.address,
    () => `the reference ${reference} does not lead to its claim alone`,
    () => list,
  )
}

/** An alias stays taken. */
export async function createWithTakenAlias(client: Client, account: Account): Promise<void> {
  const owner = client.random.pick(client.world.accounts)
  const taken = owner.claims.findLast(({ alias, clock }) => alias !== null && clock === null)
  // A server reveals only about a hundred aliases of other accounts a minute.
  if (!taken || (owner !== account && client.random.chance(0.7))) return
  client.world.count('create taken candidate')
  const newClaim = { ...drawNewClaim(client, account, true), alias: taken.alias }
  const reply = await client.send(account, {
    method: 'POST',
    path: '/v1/candidates',
    body: JSON.stringify(bodyOf(newClaim)),
  })
  if (reply.kind !== 'answer' || reply.status >= 500 || reply.status === 404) return
  const isRefused = reply.status === 409 || (reply.status === 429 && owner !== account)
  assert(
    isRefused,
    () => `the alias ${taken.alias} is taken, and a creation was answered ${reply.status}`,
    () => reply,
  )
}
