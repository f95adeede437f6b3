import { isReservedType } from '../../claims/event.ts'
import { MAX_KNOWN_EVENT_TYPES } from '../../limits.ts'
import type { Leaf } from '../condition.ts'
import { SimilarNames } from './similar-names.ts'

/** A type that a leaf asks for, and that no event has had so far. */
export interface UnknownType {
  path: string
  type: string
  /** A type that events have had, and that this may be a slip of. */
  meant: string | null
}

/** Of each type that no event has had the first leaf that asks for it; none if no type is known at all, or not each. */
export function unknownTypes(
  places: readonly { leaf: Leaf; path: string }[],
  known: ReadonlySet<string>,
  maxTypes: number,
): UnknownType[] {
  const found = new Map<string, UnknownType>()
  if (known.size === 0 || known.size >= MAX_KNOWN_EVENT_TYPES) return []
  const similar = new SimilarNames(known)
  for (const { leaf, path } of places) {
    const { event: type } = leaf
    if (found.size === maxTypes) break
    if (known.has(type) || isReservedType(type) || found.has(type)) continue
    found.set(type, { path, type, meant: similar.find(type) })
  }
  return [...found.values()]
}
