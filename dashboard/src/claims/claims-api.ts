import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { ClaimSort } from '../../../src/core/claims/claim.ts'
import type { Contract } from '../../../src/core/contracts/contract.ts'
import type { JsonObject } from '../../../src/kernel/json.ts'
import type { Metadata } from '../../../src/kernel/metadata.ts'
import { uuidEnds } from '../../../src/kernel/uuid.ts'
import { get, post, type Query, type Tagged, unexpectedResponse, withQuery } from '../api/client.ts'
import type { MetadataFilters } from '../api/metadata-filters.ts'
import { POLL_MS } from '../api/query-client.ts'
import type {
  CandidateSummary,
  ClaimEvent,
  ClaimKind,
  ClaimSummary,
  Explanation,
  Page,
  WithEvents,
} from '../api/records.ts'

export type AnyClaim = ClaimSummary | CandidateSummary

/** The sort orders of a list, by their names in its URL. */
export const CLAIM_ORDERS = {
  newest: { label: 'Newest first', sort: 'created_at', order: 'desc' },
  oldest: { label: 'Oldest first', sort: 'created_at', order: 'asc' },
  due: { label: 'Due next', sort: 'due_at', order: 'asc' },
  changed: { label: 'Recently changed', sort: 'status_since', order: 'desc' },
  waiting: { label: 'Longest in status', sort: 'status_since', order: 'asc' },
} as const satisfies Record<string, { label: string; sort: ClaimSort; order: 'asc' | 'desc' }>
export type ClaimOrder = keyof typeof CLAIM_ORDERS

export interface ClaimFilters extends MetadataFilters {
  /** One status, or several joined by commas. */
  status?: string | undefined
  /** A UUID for claims, an external_id for candidates. */
  customer?: string | undefined
  schema?: string | undefined
  /** A test clock's id, or `live`. */
  clock?: string | undefined
  sort?: ClaimOrder | undefined
  created_from?: string | undefined
  created_before?: string | undefined
  due_from?: string | undefined
  due_before?: string | undefined
  resolved_from?: string | undefined
  resolved_before?: string | undefined
  price_from?: string | undefined
  price_to?: string | undefined
  /** For claims, a reference or the start of an id. For candidates, the start of an alias. */
  search?: string | undefined
}

/** A claim's id or a candidate's alias. */
export const nameOf = (claim: AnyClaim): string => ('id' in claim ? claim.id : claim.candidate_alias)
/** The customer's UUID for claims, its external_id for candidates. */
export const customerOf = (claim: AnyClaim): string =>
  'id' in claim ? claim.customer_id : claim.customer_uuid

/** The query parameter that a search text is sent as. */
export type Searched = 'reference' | 'search'

/** The filters as query parameters. */
function filterParameters(
  kind: ClaimKind,
  { customer, schema, clock, search, sort: order = 'newest', ...others }: ClaimFilters,
  by: Searched,
) {
  const { sort, order: direction } = CLAIM_ORDERS[order]
  return {
    ...others,
    [kind === 'claims' ? 'customer_id' : 'customer_uuid']: customer,
    schema_id: schema,
    [clock === 'live' ? 'clock' : 'test_clock_id']: clock,
    [by]: search,
    ...(sort === 'created_at' ? {} : { sort }),
    order: direction,
  }
}

export const claimsQuery = (kind: ClaimKind, filters: ClaimFilters, after?: string, limit = 50) =>
  queryOptions({
    queryKey: [kind, 'list', filters, after, limit],
    queryFn: ({ signal }) => listClaims(kind, filters, { after, limit }, signal),
    placeholderData: keepPreviousData,
    // A page that takes many requests is refetched less often.
    refetchInterval: ({ state }) => POLL_MS * (state.data?.answers ?? 1),
  })

/** Requests for one page. The service scans a limited number of records per request (§4.1), so few may match. */
const MAX_REQUESTS_PER_PAGE = 20

export interface ListedPage extends Page<AnyClaim> {
  by: Searched
  /** The number of requests that the page took. */
  answers: number
}

/** Rejects a response that is not a list. Bulk events go to the listed claims, so the list must be complete. */
async function readList(kind: ClaimKind, query: Query, signal: AbortSignal): Promise<Page<AnyClaim>> {
  const page = await get<Page<AnyClaim> | null>(`/v1/${kind}`, query, signal)
  if (!Array.isArray(page?.data) || page.next_cursor === undefined) throw unexpectedResponse()
  return page
}

/** A search text may be a reference or the start of an id. References are searched first. */
export async function listClaims(
  kind: ClaimKind,
  filters: ClaimFilters,
  page: { after: string | undefined; limit: number },
  signal: AbortSignal,
): Promise<ListedPage> {
  const list = async (by: Searched): Promise<ListedPage> => {
    const query = filterParameters(kind, filters, by)
    const read = (after: string | undefined, limit: number) =>
      readList(kind, { ...query, after, limit }, signal)
    let { data, next_cursor } = await read(page.after, page.limit)
    let answers = 1
    for (; next_cursor !== null && data.length < page.limit && answers < MAX_REQUESTS_PER_PAGE; answers++) {
      const more = await read(next_cursor, page.limit - data.length)
      data = [...data, ...more.data]
      next_cursor = more.next_cursor
    }
    return { data, next_cursor, by, answers }
  }
  const { search } = filters
  if (kind === 'candidates' || !search || page.after) return list('search')
  const named = await list('reference')
  return named.data.length > 0 || uuidEnds(search) === null ? named : list('search')
}

/** The number of records on all pages of a list. */
export interface Total {
  count: number
  /** If false, `count` is a lower bound. */
  is_exact: boolean
}

/** Longer than `POLL_MS`: a total changes little and costs more than a page. */
const TOTAL_POLL_MS = 4 * POLL_MS

export const totalQuery = (kind: ClaimKind, filters: ClaimFilters, by: Searched) =>
  queryOptions({
    queryKey: [kind, 'total', filters, by],
    queryFn: async ({ signal }) => {
      const query = { ...filterParameters(kind, filters, by), limit: 1, total: 'true' }
      return (await get<Page<AnyClaim> & { total: Total }>(`/v1/${kind}`, query, signal)).total
    },
    refetchInterval: TOTAL_POLL_MS,
  })

/** The URL of the filtered list as CSV. */
export const exportUrl = (kind: ClaimKind, filters: ClaimFilters, by: Searched = 'search'): string =>
  withQuery(`/v1/${kind}/export`, filterParameters(kind, filters, by))

const pathOf = (kind: ClaimKind, name: string) => `/v1/${kind}/${encodeURIComponent(name)}`

export const claimQuery = (kind: ClaimKind, name: string) =>
  queryOptions({
    queryKey: [kind, 'one', name],
    queryFn: ({ signal }) => get<Tagged<WithEvents<AnyClaim>>>(pathOf(kind, name), {}, signal),
  })

/** `version` changes with the log, so that claim and explanation on a page belong together. */
export const explanationQuery = (kind: ClaimKind, name: string, version: string) =>
  queryOptions({
    queryKey: [kind, 'explanation', name, version],
    queryFn: ({ signal }) => get<Explanation>(`${pathOf(kind, name)}/explanation`, {}, signal),
    placeholderData: keepPreviousData,
  })

/** The result of a submission. */
export interface Submitted {
  event: ClaimEvent
  /** Seconds since the window ended. Missing if the event was in time. */
  late_by?: number
  claim: Pick<AnyClaim, 'status' | 'scheduled_outcome' | 'due_at' | 'paused_since'>
}

export const submitEvent = (kind: ClaimKind, name: string, event: JsonObject): Promise<Submitted> =>
  post(`${pathOf(kind, name)}/events`, event)

export interface NewClaim {
  customer: string
  alias?: string
  /** Only for claims. Empty for none. */
  reference?: string
  source: { schema_id: string } | { contract: Contract }
  clock?: string | undefined
  metadata?: Metadata
  /** Fractions of the activity window. Without them, those of the schema apply. */
  reminders?: readonly number[] | undefined
}

export function createClaim(
  kind: ClaimKind,
  { customer, alias, reference, source, clock, metadata, reminders }: NewClaim,
): Promise<AnyClaim> {
  const naming =
    kind === 'claims'
      ? { customer_id: customer, ...(reference ? { reference } : {}) }
      : { customer_uuid: customer, candidate_alias: alias }
  return post(`/v1/${kind}`, {
    ...naming,
    ...source,
    ...(clock ? { test_clock_id: clock } : {}),
    metadata,
    reminders,
  })
}
