import { type Client, parse } from '../../clients/client.ts'
import type { Account } from '../../clients/records.ts'
import { assert } from '../../model/finding.ts'
import type { JsonObject } from '../../model/json.ts'

/** A row with the times of its request and response. */
export interface Shown {
  row: JsonObject
  sentAt: number
  answeredAt: number
}

export interface ListResult {
  shown: Shown[]
  sentAt: number
  /** Lower bound of the number of records at the start. Null if it was not requested. */
  total: number | null
}

const MAX_PAGES = 200
/** Filters without an index. */
const SELECTIVE = ['clock', 'price_from', 'price_to', 'created_from', 'created_before', 'sort']

/** Reads a list page by page to its end. Null: a response is missing. */
export async function readPages(
  client: Client,
  account: Account,
  path: string,
  filters: Record<string, string>,
  { asksTotal } = { asksTotal: false },
): Promise<ListResult | null> {
  const limit = client.random.pick([1, 2, 5, 20, 100])
  const query = new URLSearchParams({
    ...filters,
    limit: `${limit}`,
    ...(asksTotal ? { total: 'true' } : {}),
  })
  const result: ListResult = { shown: [], sentAt: Infinity, total: null }
  for (let page = 0; page < MAX_PAGES; page++) {
    const request = { method: 'GET', path: `${path}?${query}` }
    const reply = await client.send(account, request, { mayBeRefused: true })
    if (reply.kind !== 'answer' || reply.status >= 500) return null
    // The record that the cursor names may have been deleted with its clock.
    if (reply.status === 400 && page > 0 && account.clocks.some(({ isDeleted }) => isDeleted)) return null
    const about = () => ({ path, query: `${query}`, reply })
    assert(reply.status === 200, () => `a list answered ${reply.status}`, about)
    const body = parse(reply.text)
    const rows = body.data as JsonObject[]
    if (asksTotal && page === 0) result.total = readTotal(body.total, about)
    const { sentAt, answeredAt } = reply
    result.sentAt = Math.min(result.sentAt, sentAt)
    result.shown.push(...rows.map((row) => ({ row, sentAt, answeredAt })))
    assert(rows.length <= limit, () => 'a page has more records than its limit', about)
    if (body.next_cursor === null) return result
    // §4.1 rule 3: a page may end at the scan limit.
    const isWhole = rows.length === limit || SELECTIVE.some((name) => name in filters)
    assert(isWhole, () => 'a page that is not the last has fewer records than its limit', about)
    query.set('after', body.next_cursor as string)
    query.delete('total')
  }
  return null
}

function readTotal(total: unknown, about: () => unknown): number {
  const { count } = (total ?? {}) as Record<string, unknown>
  assert(typeof count === 'number', () => 'a list has no total', about)
  return count as number
}
