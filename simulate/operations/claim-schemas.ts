import { type Client, outcomeOf, parse } from '../clients/client.ts'
import type { Account, SchemaRecord } from '../clients/records.ts'
import type { Contract } from '../model/contract.ts'
import { assert } from '../model/finding.ts'
import { type JsonObject, same } from '../model/json.ts'
import { MonotonicRegister } from '../model/monotonic-register.ts'
import { seeded } from '../random.ts'
import { drawCalendarOf } from './calendars.ts'
import { drawContract } from './draw.ts'

/** §8 */
const MAX_VERSIONS = 100
/** Deleted schemas that must stay deleted. */
const MAX_REMEMBERED = 100

export async function createSchema(client: Client, account: Account): Promise<void> {
  const { random, world } = client
  world.count('create schema')
  const key = world.nextIdempotencyKey(account, random)
  // Accounts with the same key often send the same body.
  const isShared = random.chance(0.5)
  const draws = isShared ? seeded(0).fork(key) : random
  const calendars = isShared ? {} : { drawCalendar: drawCalendarOf(random, account) }
  const contract = { ...drawContract(draws, false, calendars), price: 0 }
  const request = {
    method: 'POST',
    path: '/v1/schemas',
    body: JSON.stringify({ contract, name: nameOf(contract) }),
    headers: { 'idempotency-key': key },
  }
  const reply = await client.send(account, request)
  if (reply.kind !== 'answer' || reply.status >= 500) return
  assert(
    reply.status === 201,
    () => `a schema's creation was answered ${reply.status}`,
    () => reply,
  )
  if (random.chance(0.5)) {
    const again = await client.send(account, request)
    const isSame = again.kind !== 'answer' || again.status >= 500 || again.text === reply.text
    assert(
      isSame,
      () => 'a key has two responses',
      () => ({ reply, again }),
    )
  }
  const body = parse(reply.text)
  assert(
    same(body.contract, contract as unknown as JsonObject),
    () => 'a new schema has another contract',
    () => body,
  )
  assert(
    body.user_id === account.userId,
    () => 'a new schema belongs to another account',
    () => body,
  )
  const id = body.id as string
  const versions = new MonotonicRegister(`the contract of the schema ${id}`, 0)
  account.schemas.push({ id, versions, prices: [0], contract, isDeleted: false, isBusy: false })
}

/** Reads, replaces or deletes a schema. Claims made from it keep their contract. */
export async function changeSchema(client: Client, account: Account): Promise<void> {
  const schema = account.schemas.find(({ isBusy }) => !isBusy)
  if (!schema || account.schemas.length < 4) return createSchema(client, account)
  schema.isBusy = true
  const what = client.random.pick([readSchema, readSchema, readVersions, replaceSchema, deleteSchema])
  await what(client, account, schema)
  schema.isBusy = false
}

async function readSchema(client: Client, account: Account, schema: SchemaRecord): Promise<void> {
  client.world.count('read schema')
  const observe = schema.versions.read()
  const reply = await client.send(account, { method: 'GET', path: `/v1/schemas/${schema.id}` })
  if (reply.kind !== 'answer' || reply.status >= 500) return
  assert(
    reply.status === 200,
    () => `the schema ${schema.id} exists, but reading it answered ${reply.status}`,
  )
  const { contract, name, version } = parse(reply.text)
  observe(Number((contract as JsonObject).price))
  const isSame = schema.contract === null || same(contract, schema.contract as unknown as JsonObject)
  assert(
    isSame,
    () => `the schema ${schema.id} has changed`,
    () => ({ contract, schema }),
  )
  const isVersion = schema.contract === null || version === schema.prices.length
  assert(
    isVersion,
    () => `the schema ${schema.id} has another version`,
    () => ({ version, schema }),
  )
  assert(
    name === nameOf(contract as { price: number }),
    () => `the name of the schema ${schema.id} is not of its contract`,
    () => ({ contract, name }),
  )
}

/** §2.5: each change is one version, in order. */
async function readVersions(client: Client, account: Account, schema: SchemaRecord): Promise<void> {
  client.world.count('read versions of a schema')
  const path = `/v1/schemas/${schema.id}/versions`
  const reply = await client.send(account, { method: 'GET', path })
  if (reply.kind !== 'answer' || reply.status >= 500) return
  const about = () => ({ reply, schema })
  assert(
    reply.status === 200,
    () => `the versions of the schema ${schema.id} were answered ${reply.status}`,
    about,
  )
  const versions = (parse(reply.text).data as JsonObject[]).toReversed()
  const { prices, contract } = schema
  // A change without a response may have made another version.
  const most = contract === null ? prices.length + 1 : prices.length
  const last = versions.at(-1)?.version as number
  assert(last >= prices.length && last <= most, () => `the schema ${schema.id} has ${last} versions`, about)
  assert(versions.length === Math.min(last, MAX_VERSIONS), () => 'a version of a schema is missing', about)
  for (const [i, version] of versions.entries()) {
    const number = last - versions.length + 1 + i
    const { price } = version.contract as unknown as Contract
    const isExpected = number > prices.length || price === prices[number - 1]
    const isNamed = version.name === nameOf({ price })
    assert(
      version.version === number && isExpected && isNamed,
      () => `version ${number} of a schema differs`,
      about,
    )
  }
  const one = client.random.pick(versions)
  const read = await client.send(account, { method: 'GET', path: `${path}/${one.version}` })
  if (read.kind !== 'answer' || read.status >= 500) return
  assert(
    read.status === 200 && same(parse(read.text), one),
    () => `version ${one.version} of a schema differs from the list`,
    () => ({ read, one }),
  )
}

/** The name changes together with the contract. */
const nameOf = ({ price }: { price: number }) => `version ${price}`

async function replaceSchema(client: Client, account: Account, schema: SchemaRecord): Promise<void> {
  // A change without a response may take effect later, so no further change is sent.
  if (schema.contract === null) return
  client.world.count('replace schema')
  const { value, done } = schema.versions.write()
  const drawCalendar = drawCalendarOf(client.random, account)
  const contract = { ...drawContract(client.random, false, { drawCalendar }), price: value }
  const body = JSON.stringify({ contract, name: nameOf(contract) })
  const reply = await client.send(account, { method: 'PATCH', path: `/v1/schemas/${schema.id}`, body })
  const outcome = outcomeOf(reply)
  if (outcome === 'unknown') schema.contract = null
  if (outcome !== 'done') return
  schema.contract = contract
  schema.prices.push(value)
  done()
}

async function deleteSchema(client: Client, account: Account, schema: SchemaRecord): Promise<void> {
  client.world.count('delete schema')
  schema.isDeleted = true
  const reply = await client.send(account, { method: 'DELETE', path: `/v1/schemas/${schema.id}` })
  schema.isDeleted = outcomeOf(reply) !== 'refused'
  if (!schema.isDeleted) return
  account.schemas = account.schemas.filter((other) => other !== schema)
  if (outcomeOf(reply) === 'unknown') return
  account.deletedSchemas = [schema.id, ...account.deletedSchemas].slice(0, MAX_REMEMBERED)
  const again = await client.send(account, { method: 'GET', path: `/v1/schemas/${schema.id}` })
  const exists = again.kind === 'answer' && again.status === 200
  assert(!exists, () => `the schema ${schema.id} was deleted, but exists`)
}

/** §4.4, without pages: each existing schema, with a contract that is not older than the last response. */
export async function listSchemas(client: Client, account: Account): Promise<void> {
  client.world.count('list schemas')
  const deletedIds = new Set(account.deletedSchemas)
  const before = account.schemas.map((schema) => ({ schema, observe: schema.versions.read() }))
  const reply = await client.send(account, { method: 'GET', path: '/v1/schemas' })
  if (reply.kind !== 'answer' || reply.status >= 500) return
  const rows = parse(reply.text).data as JsonObject[]
  const about = () => ({ before: before.map(({ schema }) => schema), rows })
  const byId = new Map(rows.map((row) => [row.id as string, row]))
  assert(byId.size === rows.length, () => 'the list of schemas shows a schema twice', about)
  for (const { id, user_id } of rows) {
    assert(user_id === account.userId, () => 'the list of schemas shows a schema of another account', about)
    assert(!deletedIds.has(id as string), () => `the schema ${id} was deleted, but is listed`, about)
  }
  for (const { schema, observe } of before) {
    const row = byId.get(schema.id)
    if (row) observe(Number((row.contract as JsonObject).price))
    else assert(schema.isDeleted, () => `the schema ${schema.id} is missing in the list`, about)
  }
}
