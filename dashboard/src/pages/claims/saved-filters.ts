import { isJsonObject } from '../../../../src/kernel/json.ts'
import type { ClaimFilters } from '../../api/claims.ts'
import { LONGEST_QUERY } from '../../api/client.ts'
import { readClaimFilters } from '../claim-filters.ts'

/** A list's filters under a name. */
export interface SavedFilters {
  name: string
  /** As in the URL of the list. */
  query: string
}

export const MOST_SAVED = 50
export const LONGEST_NAME = 60

/** What of it are saved filters, each name once. */
export function readSaved(stored: unknown): SavedFilters[] {
  if (!Array.isArray(stored)) return []
  const found = new Map<string, SavedFilters>()
  for (const item of stored) {
    if (!isJsonObject(item)) continue
    const { name, query } = item
    if (typeof name !== 'string' || typeof query !== 'string') continue
    if (name.trim() === '' || name.length > LONGEST_NAME || query.length > LONGEST_QUERY) continue
    found.set(name, { name, query })
  }
  return [...found.values()].slice(0, MOST_SAVED)
}

/** Without those that this version does not know, and without a place in the list. */
export function filtersOf(query: string): ClaimFilters {
  const { after: _, ...filters } = readClaimFilters(Object.fromEntries(new URLSearchParams(query)))
  return filters
}

/** The same filters give the same text. */
export const queryOf = (filters: ClaimFilters): string =>
  new URLSearchParams(
    readClaimFilters(filters as Record<string, string>) as Record<string, string>,
  ).toString()

const byName = (one: SavedFilters, other: SavedFilters) => one.name.localeCompare(other.name)

/**
 * With these under the name; what was saved under it before is replaced.
 * @throws if another tab has saved the last that may be, or if they are too long to be read again
 */
export function withSaved(saved: readonly SavedFilters[], added: SavedFilters): SavedFilters[] {
  const others = withoutSaved(saved, added.name)
  if (added.query.length > LONGEST_QUERY) throw new Error('They are too long.')
  if (others.length >= MOST_SAVED) throw new Error('There are as many as may be.')
  return [...others, added].toSorted(byName)
}

export const withoutSaved = (saved: readonly SavedFilters[], gone: string): SavedFilters[] =>
  saved.filter(({ name }) => name !== gone)
