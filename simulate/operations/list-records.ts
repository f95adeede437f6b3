import { type Client, parse } from '../clients/client.ts'
import { type Account, type ClaimRecord, type Customer, readState } from '../clients/world.ts'
import { demand } from '../model/finding.ts'
import type { JsonObject } from '../model/json.ts'

interface Walk {
  rows: JsonObject[]
  sentAt: number
}

const MOST_PAGES = 200

/** Reads a list page by page to its end. Null: an answer did not come. */
async function walk(
  client: Client,
  account: Account,
  path: string,
  filters: Record<string, string>,
): Promise<Walk | null> {
  const { random } = client
  const limit = random.pick([1, 2, 5, 20, 100])
  const query = new URLSearchParams({ ...filters, limit: `${limit}` })
  const result: Walk = { rows: [], sentAt: Infinity }
  for (let page = 0; page < MOST_PAGES; page++) {
    const reply = await client.send(
      account,
      { method: 'GET', path: `${path}?${query}` },
      { mayBeRefused: true },
    )
    if (reply.is !== 'answer' || reply.status >= 500) return null
    // The record that the cursor names may have been deleted with its clock.
    if (reply.status === 400 && page > 0 && account.clocks.some(({ isDeleted }) => isDeleted)) return null
    const about = () => ({ path, query: `${query}`, reply })
    demand(reply.status === 200, () => `a list answered ${reply.status}`, about)
    const body = parse(reply.text)
    const rows = body.data as JsonObject[]
    result.sentAt = Math.min(result.sentAt, reply.sentAt)
    result.rows.push(...rows)
    demand(rows.length <= limit, () => 'a page has more records than its limit', about)
    for (const row of rows) noteRow(client, account, row, reply.sentAt, reply.answeredAt)
    if (body.next_cursor === null) return result
    demand(rows.length === limit, () => 'a page that is not the last has fewer records than its limit', about)
    query.set('after', body.next_cursor as string)
  }
  return null
}

/** What a list shows of a claim was its state at some moment of the request. */
function noteRow(
  client: Client,
  account: Account,
  row: JsonObject,
  sentAt: number,
  answeredAt: number,
): void {
  const record = account.byAddress.get((row.candidate_alias ?? row.id) as string)
  if (!record) return
  record.looks.push({
    how: `${client.name} lists it`,
    sentAt,
    answeredAt,
    state: readState(record, row),
    items: null,
  })
}

/** The claims or candidates of a customer: what was there before is shown once, in the order of creation. */
export async function listClaims(client: Client, account: Account): Promise<void> {
  const { random, world } = client
  world.count('list claims')
  const customer = random.pick(account.customers)
  const isOfCandidates = random.chance(0.5)
  const order = random.pick(['asc', 'desc'])
  const status = random.chance(0.3) ? random.pick(['OPEN', 'PENDING', 'CONFIRMED', 'FAILED']) : null
  const whose = isOfCandidates ? { customer_uuid: customer.externalId } : { customer_id: customer.id }
  const filters = { ...whose, order, ...(status === null ? {} : { status }) }
  const found = await walk(client, account, isOfCandidates ? '/v1/candidates' : '/v1/claims', filters)
  if (!found) return
  const addresses = found.rows.map((row) => (row.candidate_alias ?? row.id) as string)
  const about = () => ({ filters, addresses })
  demandOnce(addresses, about)
  for (const row of found.rows) demandIts(row, customer, status, account, about)
  const there = account.claims.filter((record) =>
    isSurelyIn(record, customer, isOfCandidates, status, found.sentAt),
  )
  const shown = new Set(addresses)
  for (const { name, address } of there)
    demand(shown.has(address), () => `${name} is missing in a list`, about)
  const inOrder = addresses.flatMap((address) => account.byAddress.get(address) ?? [])
  demandCreationOrder(order === 'asc' ? inOrder : inOrder.reverse(), about)
}

/** Customers are never deleted. */
export async function listCustomers(client: Client, account: Account): Promise<void> {
  client.world.count('list customers')
  const order = client.random.pick(['asc', 'desc'])
  const before = [...account.customers]
  const found = await walk(client, account, '/v1/customers', { order })
  if (!found) return
  const ids = found.rows.map(({ id }) => id as string)
  const about = () => ({ order, ids })
  demandOnce(ids, about)
  for (const row of found.rows)
    demand(row.user_id === account.userId, () => 'a list shows the customer of another account', about)
  const shown = new Set(ids)
  for (const { id } of before) demand(shown.has(id), () => `the customer ${id} is missing in the list`, about)
  const known = new Map(before.map((customer) => [customer.id, customer]))
  const inOrder = ids.flatMap((id) => known.get(id) ?? [])
  demandCreationOrder(order === 'asc' ? inOrder : inOrder.reverse(), about)
}

function demandOnce(names: readonly string[], about: () => unknown): void {
  demand(new Set(names).size === names.length, () => 'a list shows a record twice', about)
}

function demandIts(
  row: JsonObject,
  customer: Customer,
  status: string | null,
  account: Account,
  about: () => unknown,
): void {
  const isIts =
    row.candidate_alias === undefined
      ? row.customer_id === customer.id && row.user_id === account.userId
      : row.customer_uuid === customer.externalId
  demand(isIts, () => 'a list shows a record of somebody else', about)
  demand(status === null || row.status === status, () => `a list of ${status} shows ${row.status}`, about)
}

/** Of a terminal status, which lasts; or whatever its status is. */
function isSurelyIn(
  record: ClaimRecord,
  customer: Customer,
  isCandidate: boolean,
  status: string | null,
  at: number,
): boolean {
  if (record.customer !== customer || (record.alias !== null) !== isCandidate) return false
  if (record.answeredAt >= at || record.clock?.isDeleted) return false
  if (status === null) return true
  if (status !== 'CONFIRMED' && status !== 'FAILED') return false
  return record.looks.some((look) => look.state.status === status && look.answeredAt < at)
}

/** Whose creation was answered before another's was sent comes before it. */
function demandCreationOrder(
  records: readonly { sentAt: number; answeredAt: number }[],
  about: () => unknown,
): void {
  let latestSent = -Infinity
  for (const { sentAt, answeredAt } of records) {
    demand(answeredAt >= latestSent, () => 'a list is not in the order of creation', about)
    latestSent = Math.max(latestSent, sentAt)
  }
}
