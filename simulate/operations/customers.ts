import { type Client, outcomeOf, parse } from '../clients/client.ts'
import type { Account, Customer } from '../clients/records.ts'
import { assert } from '../model/finding.ts'
import type { JsonObject } from '../model/json.ts'
import { MonotonicRegister } from '../model/monotonic-register.ts'

/*
 * A name is a number that rises, so a reader knows which of two names is newer. The metadata contains the same number, and a
 * group that never changes.
 */

const RECENT = 5

const pathOf = ({ id }: Customer) => `/v1/customers/${id}`

/** One client at a time writes a name. After an unknown outcome no client continues. */
export async function renameCustomer(client: Client, account: Account): Promise<void> {
  const eligible = account.customers.filter(({ isSettled }) => isSettled).slice(-RECENT)
  if (eligible.length === 0) return
  const customer = client.random.pick(eligible)
  customer.isSettled = false
  client.world.count('rename customer')
  const { value, done } = customer.renames.write()
  const body = JSON.stringify({ name: `${value}`, metadata: { renamed: `${value}` } })
  const reply = await client.send(account, { method: 'PATCH', path: pathOf(customer), body })
  const outcome = outcomeOf(reply)
  if (outcome === 'unknown') return
  customer.isSettled = true
  if (outcome !== 'done' || reply.kind !== 'answer') return
  done()
  readCustomer(account, customer, parse(reply.text))
}

export async function getCustomer(client: Client, account: Account): Promise<void> {
  const customer = client.random.pick(account.customers.slice(-2 * RECENT))
  client.world.count('read customer')
  const observe = customer.renames.read()
  const reply = await client.send(account, { method: 'GET', path: pathOf(customer) })
  if (reply.kind !== 'answer' || reply.status >= 500) return
  assert(
    reply.status === 200,
    () => `the customer ${customer.id} exists, but reading it answered ${reply.status}`,
  )
  observe(readCustomer(account, customer, parse(reply.text)))
}

/** Finds the customer by its external id. */
export async function findCustomer(client: Client, account: Account): Promise<void> {
  const customer = client.random.pick(account.customers.slice(-2 * RECENT))
  client.world.count('find customer')
  const observe = customer.renames.read()
  const path = `/v1/customers?external_id=${encodeURIComponent(customer.externalId)}`
  const reply = await client.send(account, { method: 'GET', path })
  if (reply.kind !== 'answer' || reply.status >= 500) return
  const rows = parse(reply.text).data as JsonObject[]
  assert(
    rows.length === 1,
    () => `${customer.externalId} names ${rows.length} customers`,
    () => reply,
  )
  observe(readCustomer(account, customer, rows[0] as JsonObject))
}

/** The fields that never change, and the number of renames. */
export function readCustomer({ userId }: Account, customer: Customer, body: JsonObject): number {
  const isSameRecord =
    body.id === customer.id && body.user_id === userId && body.external_id === customer.externalId
  assert(
    isSameRecord,
    () => `the customer ${customer.id} is shown as another`,
    () => body,
  )
  const { group, renamed } = body.metadata as Record<string, string | undefined>
  assert(
    group === groupOf(customer.externalId) && renamed === (body.name ?? undefined),
    () => `the metadata of the customer ${customer.id} is not that of its name`,
    () => body,
  )
  return body.name === null ? 0 : Number(body.name)
}

/** The same for a request with the external id. */
export const groupOf = (externalId: string) => `ends with ${externalId.at(-1)}`

const MAX_TRIES = 4

/** Creates a customer, with retries without a response. Clients and accounts share some of the external ids. */
export async function createCustomer(client: Client, account: Account): Promise<void> {
  const { random, world } = client
  const isShared = random.chance(0.3)
  const externalId = isShared
    ? `shared-${Math.floor(account.customers.length / 2)}`
    : world.nextName(`customer ${account.name}`)
  const naming = account.names.get(externalId) ?? { tries: 0, isMade: false }
  if (isShared) account.names.set(externalId, naming)
  let sentAt = Infinity
  for (let i = 0; i < MAX_TRIES; i++) {
    world.count('create customer')
    naming.tries++
    const body = JSON.stringify({ external_id: externalId, metadata: { group: groupOf(externalId) } })
    const reply = await client.send(account, { method: 'POST', path: '/v1/customers', body })
    const outcome = outcomeOf(reply)
    sentAt = Math.min(sentAt, reply.sentAt)
    if (outcome === 'unknown') continue
    if (reply.kind !== 'answer' || reply.status >= 500) return
    const about = () => ({ externalId, naming, reply })
    // Taken by another attempt, possibly a later one.
    const isExpected = reply.status === 201 ? !naming.isMade : reply.status === 409 && naming.tries > 1
    assert(isExpected, () => `a customer's creation was answered ${reply.status}`, about)
    if (reply.status === 201) {
      naming.isMade = true
      return addCustomer(account, externalId, parse(reply.text), sentAt, reply.answeredAt)
    }
    return isShared ? undefined : await findMade(client, account, externalId, sentAt)
  }
}

/** An attempt without a response created it. */
async function findMade(client: Client, account: Account, externalId: string, sentAt: number): Promise<void> {
  const path = `/v1/customers?external_id=${encodeURIComponent(externalId)}`
  const reply = await client.send(account, { method: 'GET', path })
  if (reply.kind !== 'answer' || reply.status >= 500) return
  const [row] = parse(reply.text).data as JsonObject[]
  assert(
    row !== undefined,
    () => `${externalId} is taken, and is no customer`,
    () => reply,
  )
  addCustomer(account, externalId, row, sentAt, reply.answeredAt)
}

function addCustomer(
  account: Account,
  externalId: string,
  body: JsonObject,
  sentAt: number,
  answeredAt: number,
): void {
  const id = body.id as string
  const renames = new MonotonicRegister(`the name of the customer ${id}`, 0)
  const customer: Customer = { id, externalId, renames, isSettled: true, sentAt, answeredAt }
  const renamed = readCustomer(account, customer, body)
  assert(
    renamed === 0,
    () => `the customer ${id} has a name from the start`,
    () => body,
  )
  account.customers.push(customer)
}
