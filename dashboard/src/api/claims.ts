import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { Status } from '../../../src/domain/claims/lifecycle.ts'
import type { Contract } from '../../../src/domain/contract/contract.ts'
import type { JsonObject } from '../../../src/domain/json.ts'
import { uuidPrefix } from '../../../src/domain/uuid.ts'
import { get, post, withQuery } from './client.ts'
import type { CandidateSummary, ClaimEvent, ClaimSummary, Explanation, Page, WithEvents } from './records.ts'

/** Claims and candidates have the same pages: one state machine, two ways of naming. */
export type ClaimKind = 'claims' | 'candidates'
export type AnyClaim = ClaimSummary | CandidateSummary

export interface ClaimFilters {
  status?: Status | undefined
  /** A UUID for claims, an external_id for candidates. */
  customer?: string | undefined
  schema?: string | undefined
  clock?: string | undefined
  /** Of claims a reference, or the beginning of an id; of candidates that of an alias. */
  search?: string | undefined
}

/** While a page with live figures is in sight, it asks this often. */
export const POLL_MS = 4_000

/** A claim's id or a candidate's alias. */
export const nameOf = (one: AnyClaim): string => ('id' in one ? one.id : one.candidate_alias)
/** As the record names it: by UUID, or by external_id. */
export const customerOf = (one: AnyClaim): string => ('id' in one ? one.customer_id : one.customer_uuid)

/** What a search looks for: of claims it may be a reference, or the beginning of an id. */
export type Searched = 'reference' | 'search'

/** The filters in the names of the wire. */
function filterParameters(
  kind: ClaimKind,
  { status, customer, schema, clock, search }: ClaimFilters,
  by: Searched,
) {
  return {
    status,
    [kind === 'claims' ? 'customer_id' : 'customer_uuid']: customer,
    schema_id: schema,
    test_clock_id: clock,
    [by]: search,
  }
}

export const claimsQuery = (kind: ClaimKind, filters: ClaimFilters, after?: string, limit = 50) =>
  queryOptions({
    queryKey: [kind, 'list', filters, after, limit],
    queryFn: ({ signal }) => listClaims(kind, filters, { after, order: 'desc', limit }, signal),
    placeholderData: keepPreviousData,
    refetchInterval: POLL_MS,
  })

/** What could be the beginning of an id may be a reference too, such as a long number: a reference is looked for first. */
async function listClaims(
  kind: ClaimKind,
  filters: ClaimFilters,
  page: { after: string | undefined; order: string; limit: number },
  signal: AbortSignal,
): Promise<Page<AnyClaim> & { by: Searched }> {
  const list = async (by: Searched) => {
    const query = { ...filterParameters(kind, filters, by), ...page }
    return { ...(await get<Page<AnyClaim>>(`/v1/${kind}`, query, signal)), by }
  }
  const { search } = filters
  if (kind === 'candidates' || !search || page.after) return list('search')
  const named = await list('reference')
  return named.data.length > 0 || uuidPrefix(search) === null ? named : list('search')
}

/** Where the browser downloads the filtered list as CSV. */
export const exportUrl = (kind: ClaimKind, filters: ClaimFilters, by: Searched = 'search'): string =>
  withQuery(`/v1/${kind}/export`, filterParameters(kind, filters, by))

const pathOf = (kind: ClaimKind, name: string) => `/v1/${kind}/${encodeURIComponent(name)}`

export const claimQuery = (kind: ClaimKind, name: string) =>
  queryOptions({
    queryKey: [kind, 'one', name],
    queryFn: ({ signal }) => get<WithEvents<AnyClaim>>(pathOf(kind, name), {}, signal),
  })

/** `version` changes with the log: what a page shows is then of one moment. */
export const explanationQuery = (kind: ClaimKind, name: string, version: string) =>
  queryOptions({
    queryKey: [kind, 'explanation', name, version],
    queryFn: ({ signal }) => get<Explanation>(`${pathOf(kind, name)}/explanation`, {}, signal),
    placeholderData: keepPreviousData,
  })

/** What an event did. */
export interface Submitted {
  event: ClaimEvent
  claim: AnyClaim
}

export const submitEvent = (kind: ClaimKind, name: string, event: JsonObject): Promise<Submitted> =>
  post(`${pathOf(kind, name)}/events`, event)

export interface NewClaim {
  customer: string
  alias?: string
  /** Of a claim; empty for none. */
  reference?: string
  source: { schema_id: string } | { contract: Contract }
  clock?: string | undefined
}

export function createClaim(
  kind: ClaimKind,
  { customer, alias, reference, source, clock }: NewClaim,
): Promise<AnyClaim> {
  const naming =
    kind === 'claims'
      ? { customer_id: customer, ...(reference ? { reference } : {}) }
      : { customer_uuid: customer, candidate_alias: alias }
  return post(`/v1/${kind}`, { ...naming, ...source, ...(clock ? { test_clock_id: clock } : {}) })
}
