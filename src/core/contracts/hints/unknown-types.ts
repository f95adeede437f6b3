import { isReservedType } from '../../claims/event.ts'
import { MAX_KNOWN_EVENT_TYPES } from '../../limits.ts'
import type { Leaf } from '../condition.ts'

/** Shorter types are like too many others. */
const MIN_COMPARED_LENGTH = 4
/** Of a difference in one place: a letter more or less, another one, or two that are swapped. */
const MOST_DIFFERENT = 2

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
  most: number,
): UnknownType[] {
  const found = new Map<string, UnknownType>()
  if (known.size === 0 || known.size >= MAX_KNOWN_EVENT_TYPES) return []
  const lettersOfKnown = Map.groupBy(known, lettersOf)
  for (const { leaf, path } of places) {
    const { event: type } = leaf
    if (found.size === most) break
    if (known.has(type) || isReservedType(type) || found.has(type)) continue
    const letters = lettersOf(type)
    const [, like] = lettersOfKnown.entries().find(([one]) => isLike(one, letters)) ?? []
    found.set(type, { path, type, meant: like?.[0] ?? null })
  }
  return [...found.values()]
}

/** Whether they differ in one place at most. */
function isLike(a: string, b: string): boolean {
  if (Math.min(a.length, b.length) < MIN_COMPARED_LENGTH) return false
  const shortest = Math.min(a.length, b.length)
  let start = 0
  while (start < shortest && a[start] === b[start]) start++
  let end = 0
  while (end < shortest - start && a.at(-1 - end) === b.at(-1 - end)) end++
  return Math.max(a.length, b.length) - start - end <= MOST_DIFFERENT
}

/** Without letter case, and what stands between words. */
const lettersOf = (type: string) => type.toLowerCase().replaceAll(/[\s._:/-]/g, '')
