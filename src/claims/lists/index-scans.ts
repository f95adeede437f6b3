import type { Status } from '../../core/claims/lifecycle.ts'
import { pairsOf } from '../../platform/database/metadata.ts'
import { type FilterName, filtersOf } from './claim-conditions.ts'
import { type ClaimFilter, isTimed, RESOLVED, UNRESOLVED } from './claim-selection.ts'

/** A scan of one index: the claims that it finds by these filters and statuses. No status means any. */
export interface IndexScan {
  filters: readonly FilterName[]
  statuses: readonly Status[]
  /** The time column that orders the claims. Null for an order by position. */
  time: 'created_at' | 'due_at' | 'status_since' | null
  /** Found by this metadata pair, in the table of pairs. */
  pair?: string
}

/** One scan for each metadata pair, in the order of positions. All filters are checked on each claim. */
const pairScans = ({ userId, kind, metadata = {} }: ClaimFilter, time: IndexScan['time']): IndexScan[] =>
  pairsOf(userId, kind, metadata).map((pair) => ({ filters: [], statuses: [], time, pair }))

/** The filters that the index does not cover. They must be checked on each claim of the scan. */
export function uncheckedFilters(filter: ClaimFilter, { filters, statuses }: IndexScan): FilterName[] {
  const coversStatuses = statuses.length > 0 && statuses.every((status) => filter.statuses.includes(status))
  return [...filtersOf(filter)].filter(
    (name) => !filters.includes(name) && !(name === 'statuses' && coversStatuses),
  )
}

const timeOf = (filter: ClaimFilter): IndexScan['time'] =>
  isTimed(filter, filter.sort) ? (filter.sort ?? 'created_at') : null

/**
 * The scan of the matches of a search. Null without a search, or if `withSpan` has counted many matches. The index of ids
 * contains the claims of all accounts. The account is checked after the scan: with a condition on the account, the planner
 * could choose an index of the account.
 */
export const searchScan = (filter: ClaimFilter): IndexScan | null =>
  filter.search && !filter.search.span
    ? {
        filters: filter.kind === 'claim' ? ['search'] : ['user', 'kind', 'search'],
        statuses: [],
        time: timeOf(filter),
      }
    : null

/**
 * The scans whose merge is the list, each in the order of its index. Null if a search has few matches. Also null if no
 * index has the order of the list: the order by a time on a test clock, except by the due time.
 */
export function orderedScans(filter: ClaimFilter): IndexScan[] | null {
  if (searchScan(filter)) return null
  const { sort = 'created_at', statuses, customerId, schemaId, testClockId } = filter
  const { created, due, resolved, metadata } = filter
  const scanPerStatus = (
    filters: readonly FilterName[],
    time: IndexScan['time'],
    scanned = statuses,
  ): IndexScan[] => scanned.map((status) => ({ filters, statuses: [status], time }))
  if (!isTimed(filter, sort)) {
    if (metadata) return pairScans(filter, null).slice(0, 1)
    const span: FilterName[] = filtersOf(filter).has('span') ? ['span'] : []
    if (customerId) return scanPerStatus(['user', 'kind', 'customer', ...span], null)
    if (schemaId) return [{ filters: ['user', 'kind', 'schema', ...span], statuses: [], time: null }]
    if (testClockId) return [{ filters: ['user', 'kind', 'clock', ...span], statuses: [], time: null }]
    return scanPerStatus(['user', 'kind', ...span], null)
  }
  const dueFilter: readonly FilterName[] = due ? ['due'] : []
  if (testClockId)
    return sort === 'due_at'
      ? [{ filters: ['clock', ...dueFilter], statuses: UNRESOLVED, time: 'due_at' }]
      : null
  const liveFilters: readonly FilterName[] = ['user', 'kind', 'live']
  const creationFilters: readonly FilterName[] = created ? [...liveFilters, 'created'] : liveFilters
  if (sort === 'created_at') return scanPerStatus(creationFilters, 'created_at')
  if (sort === 'due_at')
    return [{ filters: ['user', 'live', ...dueFilter], statuses: UNRESOLVED, time: 'due_at' }]
  const requested = (indexed: readonly Status[]) => indexed.filter((status) => statuses.includes(status))
  return [
    // An OPEN claim entered its status at its creation (§2.3), so an index by creation serves. Claims in review have
    // an index of their own.
    ...scanPerStatus(creationFilters, 'created_at', requested(['OPEN'])),
    ...scanPerStatus(liveFilters, 'status_since', requested(['PENDING'])),
    ...(requested(RESOLVED).length > 0
      ? [
          {
            filters: ['user', 'live', ...(resolved ? (['resolved'] as const) : [])],
            statuses: RESOLVED,
            time: 'status_since',
          } satisfies IndexScan,
        ]
      : []),
  ]
}

/** All claims of a test clock, for an order by a time that no index has. */
export const testClockScan = (filter: ClaimFilter): IndexScan =>
  selectiveScans(filter).find(({ filters }) => filters.includes('clock')) as IndexScan

/** One unordered scan for each filter with an index, the most selective filter first. A search has `searchScan`. */
export function selectiveScans(filter: ClaimFilter): IndexScan[] {
  const { statuses, testClockId } = filter
  const given = filtersOf(filter)
  const time = timeOf(filter)
  const indexes: [FilterName, FilterName[], readonly Status[]][] = [
    ['clock', ['user', 'kind', 'clock'], []],
    ['customer', ['user', 'kind', 'customer'], statuses],
    ['schema', ['user', 'kind', 'schema'], []],
    ['due', ['user', 'live', 'due'], UNRESOLVED],
    ['resolved', ['user', 'live', 'resolved'], RESOLVED],
    ['created', ['user', 'kind', 'live', 'created'], statuses],
    ['statuses', ['user', 'kind'], statuses],
  ]
  return [
    ...pairScans(filter, time),
    ...indexes
      // In an order by time, only the last index contains the kind, which may be rare.
      .filter(([name]) => given.has(name) || (name === 'statuses' && time !== null))
      .filter(([, filters]) => !(testClockId && filters.includes('live')))
      .map(([, filters, indexed]) => ({ filters, statuses: indexed, time })),
  ]
}
