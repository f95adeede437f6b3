import { type Client, outcomeOf, parse } from '../clients/client.ts'
import type { Account, Customer } from '../clients/records.ts'
import { demand } from '../model/finding.ts'
import type { JsonObject } from '../model/json.ts'

/*
 * Names are numbers that rise, so that any reader can tell which of two names is the newer one. The metadata notes the same number,
 * beside a group that never changes.
 */

const RECENT = 5

const pathOf = ({ id }: Customer) => `/v1/customers/${id}`

/** Each name is written by one client at a time; where nobody knows whether it was, nobody goes on. */
export async function renameCustomer(client: Client, account: Account): Promise<void> {
  const able = account.customers.filter(({ isSettled }) => isSettled).slice(-RECENT)
  if (able.length === 0) return
  const customer = client.random.pick(able)
  customer.isSettled = false
  client.world.count('rename customer')
  const { value, done } = customer.renames.write()
  const body = JSON.stringify({ name: `${value}`, metadata: { renamed: `${value}` } })
  const reply = await client.send(account, { method: 'PATCH', path: pathOf(customer), body })
  const outcome = outcomeOf(reply)
  if (outcome === 'unknown') return
  customer.isSettled = true
  if (outcome !== 'done' || reply.is !== 'answer') return
  done()
  readCustomer(account, customer, parse(reply.text))
}

export async function getCustomer(client: Client, account: Account): Promise<void> {
  const customer = client.random.pick(account.customers.slice(-2 * RECENT))
  client.world.count('read customer')
  const saw = customer.renames.read()
  const reply = await client.send(account, { method: 'GET', path: pathOf(customer) })
  if (reply.is !== 'answer' || reply.status >= 500) return
  demand(
    reply.status === 200,
    () => `the customer ${customer.id} is there, and reading it answered ${reply.status}`,
  )
  saw(readCustomer(account, customer, parse(reply.text)))
}

/** By the caller's own name for it there is one, or none. */
export async function findCustomer(client: Client, account: Account): Promise<void> {
  const customer = client.random.pick(account.customers.slice(-2 * RECENT))
  client.world.count('find customer')
  const saw = customer.renames.read()
  const path = `/v1/customers?external_id=${encodeURIComponent(customer.externalId)}`
  const reply = await client.send(account, { method: 'GET', path })
  if (reply.is !== 'answer' || reply.status >= 500) return
  const rows = parse(reply.text).data as JsonObject[]
  demand(
    rows.length === 1,
    () => `${customer.externalId} names ${rows.length} customers`,
    () => reply,
  )
  saw(readCustomer(account, customer, rows[0] as JsonObject))
}

/** What never changes of it, and how often it was renamed. */
export function readCustomer({ userId }: Account, customer: Customer, body: JsonObject): number {
  const isIt = body.id === customer.id && body.user_id === userId && body.external_id === customer.externalId
  demand(
    isIt,
    () => `the customer ${customer.id} is shown as another`,
    () => body,
  )
  const { group, renamed } = body.metadata as Record<string, string | undefined>
  demand(
    group === groupOf(customer.externalId) && renamed === (body.name ?? undefined),
    () => `the metadata of the customer ${customer.id} is not that of its name`,
    () => body,
  )
  return body.name === null ? 0 : Number(body.name)
}

/** The same for whoever wants the name. */
export const groupOf = (externalId: string) => `ends with ${externalId.at(-1)}`
