import { type Client, parse } from '../../clients/client.ts'
import type { Account } from '../../clients/records.ts'
import { assert } from '../../model/finding.ts'
import { drawContract } from '../draw.ts'
import { bodyOf, drawSubmission } from '../events/submit-event.ts'

/** Records of another account answer as if they did not exist, for reads and writes. */
export async function accessOtherAccount(client: Client, account: Account): Promise<void> {
  const { random, world } = client
  const others = world.accounts.filter((other) => other !== account)
  const owner = others.length === 0 ? null : random.pick(others)
  const record = owner && world.pickClaim(owner, random, 8)
  if (!owner || !record) return
  world.count('access another account')
  const body = JSON.stringify(bodyOf(drawSubmission(client, record)))
  const clock = client.pickClock(owner)
  const customer = random.pick(owner.customers)
  const contract = drawContract(random, false)
  const requests = [
    { method: 'GET', path: record.path },
    { method: 'GET', path: `${record.path}/explanation` },
    { method: 'POST', path: `${record.path}/events`, body },
    { method: 'GET', path: `/v1/customers/${customer.id}` },
    { method: 'PATCH', path: `/v1/customers/${customer.id}`, body: '{"name":"mine"}' },
    { method: 'POST', path: '/v1/claims', body: JSON.stringify({ customer_id: customer.id, contract }) },
    // This account may have a customer with the same name.
    ...(owner.names.has(customer.externalId)
      ? []
      : [
          {
            method: 'POST',
            path: '/v1/candidates',
            body: JSON.stringify({
              candidate_alias: world.nextName('of another account'),
              customer_uuid: customer.externalId,
              contract,
            }),
          },
        ]),
    ...(clock
      ? [
          { method: 'GET', path: clock.path },
          { method: 'DELETE', path: clock.path },
          { method: 'POST', path: `${clock.path}/advance`, body: '{"frozen_time":"2900-01-01T00:00:00Z"}' },
        ]
      : []),
  ]
  const request = random.pick(requests)
  const reply = await client.send(account, request)
  if (reply.kind !== 'answer' || reply.status >= 500) return
  const asked = `${request.method} ${request.path}`
  assert(
    reply.status === 404,
    () => `${asked}, of another account, answered ${reply.status}`,
    () => ({ request, reply }),
  )
}

/** Lists that are filtered by the names of another account's records do not show them. */
export async function listWithForeignFilters(client: Client, account: Account): Promise<void> {
  const { random, world } = client
  const others = world.accounts.filter((other) => other !== account)
  if (others.length === 0) return
  world.count('list with foreign filters')
  const { id, externalId } = random.pick(random.pick(others).customers)
  const paths = [
    `/v1/claims?customer_id=${id}`,
    `/v1/candidates?customer_uuid=${encodeURIComponent(externalId)}`,
    `/v1/customers?external_id=${encodeURIComponent(externalId)}`,
  ]
  const path = random.pick(paths)
  const reply = await client.send(account, { method: 'GET', path })
  if (reply.kind !== 'answer' || reply.status >= 500) return
  const { data } = parse(reply.text)
  // If both accounts use the name, `findCustomer` and `listClaims` verify the list.
  if (path !== paths[0] && account.names.has(externalId)) return
  assert(
    Array.isArray(data) && data.length === 0,
    () => `GET ${path}, of another account, shows something`,
    () => reply,
  )
}
