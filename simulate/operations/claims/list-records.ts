import type { Client } from '../../clients/client.ts'
import type { Account } from '../../clients/records.ts'
import { readState } from '../../clients/world.ts'
import { assert } from '../../model/finding.ts'
import type { JsonObject } from '../../model/json.ts'
import { groupOf } from '../customers.ts'
import { exported } from './export-records.ts'
import { drawFilters, type Filters, mustBeListed } from './list-filters.ts'
import { type ListResult, readPages } from './read-pages.ts'

/** Reads claims or candidates page by page. */
export async function listClaims(client: Client, account: Account): Promise<void> {
  client.world.count('list claims')
  const filters = drawFilters(client.random, account)
  const path = filters.isOfCandidates ? '/v1/candidates' : '/v1/claims'
  const found = await readPages(client, account, path, filters.query, {
    asksTotal: client.random.chance(0.3),
  })
  if (found) verifyListed(client, account, filters, found)
}

/** Reads the same list as a file. */
export async function exportClaims(client: Client, account: Account): Promise<void> {
  client.world.count('export claims')
  const filters = drawFilters(client.random, account, true)
  const found = await exported(client, account, filters)
  if (found) verifyListed(client, account, filters, found, true)
}

/** Existing records are listed once, in the order of creation, in their state at some moment of the request. */
function verifyListed(
  client: Client,
  account: Account,
  filters: Filters,
  found: ListResult,
  isWithoutClock = false,
): void {
  const { query, order, status, time, matches } = filters
  const records = found.shown.map(({ row }) => account.byAddress.get(nameOf(row)))
  const addresses = found.shown.map(({ row }) => nameOf(row))
  const about = () => ({ query, addresses })
  // §4.1 rule 4: if the order changes during the read, a record may be listed twice or not at all.
  const lasts = time === null || time === 'created_at'
  if (lasts) assertOnce(addresses, () => ({ query, shown: found.shown }))
  // Ids and aliases are unique across accounts. Names of customers, which filter lists, are not.
  const others = client.world.accounts.filter((other) => other !== account)
  for (const [i, { row, sentAt, answeredAt }] of found.shown.entries()) {
    const isForeign = others.some(({ byAddress }) => byAddress.has(nameOf(row)))
    const isOfAccount = !isForeign && (row.user_id === undefined || row.user_id === account.userId)
    assert(
      isOfAccount && matches(row),
      () => 'a list shows a record of another account, or that its filters exclude',
      about,
    )
    assert(status === null || row.status === status, () => `a list of ${status} shows ${row.status}`, about)
    const record = records[i]
    const source = `${client.name} lists it`
    if (record) {
      const state = readState(record, row)
      record.reads.push({ source, sentAt, answeredAt, state, items: null, isWithoutClock })
    }
  }
  if (time)
    assertTimeOrder(
      found.shown.map(({ row }) => row[time] as string),
      order,
      about,
    )
  const shown = new Set(addresses)
  const mustBeListedRecords = lasts
    ? account.claims.filter((record) => mustBeListed(record, filters, found.sentAt))
    : []
  for (const record of mustBeListedRecords)
    assert(shown.has(record.address), () => `${record.name} is missing in a list`, about)
  const { total } = found
  assert(
    total === null || total >= mustBeListedRecords.length,
    () => `${total} are counted in a list of ${mustBeListedRecords.length} at least`,
    about,
  )
  const known = records.filter((record) => record !== undefined)
  if (!time) assertCreationOrder(order === 'asc' ? known : known.reverse(), about)
}

function assertTimeOrder(times: readonly string[], order: 'asc' | 'desc', about: () => unknown): void {
  const rising = order === 'asc' ? times : times.toReversed()
  const isInOrder = rising.every((time, i) => i === 0 || (rising[i - 1] as string) <= time)
  assert(isInOrder, () => 'a list is not in the order of its times', about)
}

const nameOf = (row: JsonObject) => (row.candidate_alias ?? row.id) as string

/** Customers are never deleted. */
export async function listCustomers(client: Client, account: Account): Promise<void> {
  client.world.count('list customers')
  const order = client.random.pick(['asc', 'desc'])
  const asked = client.random.pick(account.customers).externalId
  const search = client.random.chance(0.3) ? beginningOf(asked) : ''
  const group = client.random.chance(0.3) ? groupOf(asked) : null
  const matches = (name: unknown) => typeof name === 'string' && name.toLowerCase().startsWith(search)
  const isOfGroup = (externalId: string) => group === null || groupOf(externalId) === group
  const before = account.customers.filter(({ externalId }) => matches(externalId) && isOfGroup(externalId))
  const query = { order, ...(search ? { search } : {}), ...(group ? { 'metadata[group]': group } : {}) }
  const found = await readPages(client, account, '/v1/customers', query)
  if (!found) return
  const ids = found.shown.map(({ row }) => row.id as string)
  const about = () => ({ query, ids })
  assertOnce(ids, about)
  for (const { row } of found.shown) {
    assert(row.user_id === account.userId, () => 'a list shows the customer of another account', about)
    assert(
      matches(row.external_id) || matches(row.name),
      () => 'a search finds a customer of another name',
      about,
    )
    assert(
      isOfGroup(row.external_id as string),
      () => 'a customer is found by metadata that it does not have',
      about,
    )
  }
  const shown = new Set(ids)
  for (const { id } of before) assert(shown.has(id), () => `the customer ${id} is missing in the list`, about)
  const known = new Map(before.map((customer) => [customer.id, customer]))
  const inOrder = ids.flatMap((id) => known.get(id) ?? [])
  assertCreationOrder(order === 'asc' ? inOrder : inOrder.reverse(), about)
}

/** In lower case: the search is case-insensitive. */
const beginningOf = (name: string) => [...name.toLowerCase()].slice(0, 8).join('')

function assertOnce(names: readonly string[], about: () => unknown): void {
  assert(new Set(names).size === names.length, () => 'a list shows a record twice', about)
}

/** If a creation was answered before another was sent, its record comes first. */
function assertCreationOrder(
  records: readonly { sentAt: number; answeredAt: number }[],
  about: () => unknown,
): void {
  let latestSent = -Infinity
  for (const { sentAt, answeredAt } of records) {
    assert(answeredAt >= latestSent, () => 'a list is not in the order of creation', about)
    latestSent = Math.max(latestSent, sentAt)
  }
}
