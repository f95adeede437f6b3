import type { Status } from '../../core/claims/lifecycle.ts'
import { pairsOf } from '../../platform/database/metadata.ts'
import { type FilterName, filtersOf } from './claim-conditions.ts'
import { type ClaimFilter, isTimed, RESOLVED, UNRESOLVED } from './claim-selection.ts'

/** Claims that one index finds: by these filters, in these statuses (any, if none is named). */
export interface Part {
  filters: readonly FilterName[]
  statuses: readonly Status[]
  /** The column whose time orders them in the list; null if positions do. */
  time: 'created_at' | 'due_at' | 'status_since' | null
  /** Found by this pair of metadata, in its table. */
  pair?: string
}

/** By each pair of metadata, in the order of positions: in each claim the filters are looked at. */
const byPair = ({ userId, kind, metadata = {} }: ClaimFilter, time: Part['time']): Part[] =>
  pairsOf(userId, kind, metadata).map((pair) => ({ filters: [], statuses: [], time, pair }))

/** The filters that are still to be looked at in each claim of the part. */
export function restOf(filter: ClaimFilter, { filters, statuses }: Part): FilterName[] {
  const saysStatus = statuses.length > 0 && statuses.every((status) => filter.statuses.includes(status))
  return [...filtersOf(filter)].filter(
    (name) => !filters.includes(name) && !(name === 'statuses' && saysStatus),
  )
}

/**
 * The parts that together are the list, each in the order of the index that finds it. Null if no index has the list's order: by times on
 * a test clock, but for the due time.
 */
export function walkOf(filter: ClaimFilter): Part[] | null {
  const { sort = 'created_at', statuses, customerId, schemaId, testClockId } = filter
  const { created, due, resolved, metadata } = filter
  const ofEachStatus = (filters: readonly FilterName[], time: Part['time'], those = statuses): Part[] =>
    those.map((status) => ({ filters, statuses: [status], time }))
  if (!isTimed(filter, sort)) {
    if (metadata) return byPair(filter, null).slice(0, 1)
    const span: FilterName[] = filtersOf(filter).has('span') ? ['span'] : []
    if (customerId) return ofEachStatus(['user', 'kind', 'customer', ...span], null)
    if (schemaId) return [{ filters: ['user', 'kind', 'schema', ...span], statuses: [], time: null }]
    if (testClockId) return [{ filters: ['user', 'kind', 'clock', ...span], statuses: [], time: null }]
    return ofEachStatus(['user', 'kind', ...span], null)
  }
  const ofDue: readonly FilterName[] = due ? ['due'] : []
  if (testClockId)
    return sort === 'due_at' ? [{ filters: ['clock', ...ofDue], statuses: UNRESOLVED, time: 'due_at' }] : null
  const ofKind: readonly FilterName[] = ['user', 'kind', 'live']
  const byCreation: readonly FilterName[] = created ? [...ofKind, 'created'] : ofKind
  if (sort === 'created_at') return ofEachStatus(byCreation, 'created_at')
  if (sort === 'due_at')
    return [{ filters: ['user', 'live', ...ofDue], statuses: UNRESOLVED, time: 'due_at' }]
  const asked = (those: readonly Status[]) => those.filter((status) => statuses.includes(status))
  return [
    // OPEN since the creation (§2.3): those have an index by it, and those in review one of their own.
    ...ofEachStatus(byCreation, 'created_at', asked(['OPEN'])),
    ...ofEachStatus(ofKind, 'status_since', asked(['PENDING'])),
    ...(asked(RESOLVED).length > 0
      ? [
          {
            filters: ['user', 'live', ...(resolved ? (['resolved'] as const) : [])],
            statuses: RESOLVED,
            time: 'status_since',
          } satisfies Part,
        ]
      : []),
  ]
}

/** Where no index has the order, which is by a time on a test clock: all that is on it. */
export const ofClock = (filter: ClaimFilter): Part =>
  findersOf(filter).find(({ filters }) => filters.includes('clock')) as Part

/** What an index finds for one of the filters, the most telling first, in no order. */
export function findersOf(filter: ClaimFilter): Part[] {
  const { sort = 'created_at', statuses, testClockId } = filter
  const given = filtersOf(filter)
  // Of what many ids or aliases have in common too much is found.
  if (filter.search?.span) given.delete('search')
  const time = isTimed(filter, sort) ? sort : null
  const finders: [FilterName, FilterName[], readonly Status[]][] = [
    ['search', ['user', 'kind', 'search'], []],

    ['clock', ['user', 'kind', 'clock'], []],
    ['customer', ['user', 'kind', 'customer'], statuses],
    ['schema', ['user', 'kind', 'schema'], []],
    ['due', ['user', 'live', 'due'], UNRESOLVED],
    ['resolved', ['user', 'live', 'resolved'], RESOLVED],
    ['created', ['user', 'kind', 'live', 'created'], statuses],
    ['statuses', ['user', 'kind'], statuses],
  ]
  return [
    ...byPair(filter, time),
    ...finders
      // In an order of times the last is the only one that is of one kind, which may be few beside the other.
      .filter(([name]) => given.has(name) || (name === 'statuses' && time !== null))
      .filter(([, filters]) => !(testClockId && filters.includes('live')))
      .map(([, filters, those]) => ({ filters, statuses: those, time })),
  ]
}
