import { isJsonObject, type Json, type JsonObject } from '../../kernel/json.ts'
import { hasComparator, satisfyingNumber } from './comparators.ts'
import { numberPathOf } from './compared-values.ts'
import { type Condition, type Leaf, leavesOf } from './condition.ts'

/**
 * The fields of an event that satisfies the leaf, and no others, unless it asks for what excludes each other.
 * @param number one that satisfies the leaf's bounds
 */
export function satisfyingPayload(leaf: Leaf, number = satisfyingNumber(leaf)): JsonObject {
  const { match } = leaf
  const matched: JsonObject = match === undefined ? {} : isJsonObject(match) ? match : { value: match }
  return hasComparator(leaf) ? withNumberAt(matched, numberPathOf(leaf), number) : matched
}

/** Leaves what is matched already: an event has one value at a path. */
function withNumberAt(object: JsonObject, [key = '', ...rest]: string[], number: number): JsonObject {
  const present: Json | undefined = Object.hasOwn(object, key) ? object[key] : undefined
  if (rest.length === 0) return { ...object, [key]: present ?? number }
  return { ...object, [key]: withNumberAt(isJsonObject(present) ? present : {}, rest, number) }
}

export interface Suggestion {
  type: string
  payload: JsonObject
}

/** An event for each type that the condition names, as its first leaf of that type asks for it. */
export function suggestedEvents(condition: Condition): Suggestion[] {
  const byType = Map.groupBy(leavesOf(condition), ({ event }) => event)
  return [...byType].map(([type, [first]]) => ({ type, payload: satisfyingPayload(first as Leaf) }))
}
