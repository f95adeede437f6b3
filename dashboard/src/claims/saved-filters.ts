import { isJsonObject } from '../../../src/kernel/json.ts'
import { MAX_QUERY_LENGTH } from '../api/client.ts'
import { readClaimFilters } from './claim-filters.ts'
import type { ClaimFilters } from './claims-api.ts'

/** A list's filters under a name. */
export interface SavedFilters {
  name: string
  /** As in the URL of the list. */
  query: string
}

export const MAX_SAVED = 50
export const MAX_NAME_LENGTH = 60

/** The valid saved filters of a stored value. Each name appears once. */
export function readSaved(stored: unknown): SavedFilters[] {
  if (!Array.isArray(stored)) return []
  const found = new Map<string, SavedFilters>()
  for (const item of stored) {
    if (!isJsonObject(item)) continue
    const { name, query } = item
    if (typeof name !== 'string' || typeof query !== 'string') continue
    if (name.trim() === '' || name.length > MAX_NAME_LENGTH || query.length > MAX_QUERY_LENGTH) continue
    found.set(name, { name, query })
  }
  return [...found.values()].slice(0, MAX_SAVED)
}

/** The filters of a query, without unknown filters and without a cursor. */
export function filtersOf(query: string): ClaimFilters {
  const { after: _, ...filters } = readClaimFilters(Object.fromEntries(new URLSearchParams(query)))
  return filters
}

/** A canonical text of filters. */
export const queryOf = (filters: ClaimFilters): string =>
  new URLSearchParams(
    readClaimFilters(filters as Record<string, string>) as Record<string, string>,
  ).toString()

const byName = (one: SavedFilters, other: SavedFilters) => one.name.localeCompare(other.name)

/** Adds saved filters, or replaces those with the same name.
 * @throws if there are too many, because another tab added some, or if the filters are too long
 */
export function withSaved(saved: readonly SavedFilters[], added: SavedFilters): SavedFilters[] {
  const others = withoutSaved(saved, added.name)
  if (added.query.length > MAX_QUERY_LENGTH) throw new Error('They are too long.')
  if (others.length >= MAX_SAVED) throw new Error('There are as many as may be.')
  return [...others, added].toSorted(byName)
}

export const withoutSaved = (saved: readonly SavedFilters[], gone: string): SavedFilters[] =>
  saved.filter(({ name }) => name !== gone)
