import type { Evidence } from './event.ts'
import { type Json, type JsonObject, jsonContains, valueAt } from './json.ts'

/** §2.2: a tree of leaves and operators, as it was sent. */
export type Condition = Leaf | AllOrAny | Not

export interface Leaf {
  event: string
  match?: JsonObject | string | number | boolean
  field?: string
  gt?: number
  gte?: number
  lt?: number
  lte?: number
  eq?: number
}
interface AllOrAny {
  op: 'AND' | 'OR'
  conditions: Condition[]
}
interface Not {
  op: 'NOT'
  condition: Condition
}

export const COMPARATORS = ['gt', 'gte', 'lt', 'lte', 'eq'] as const
type Comparator = (typeof COMPARATORS)[number]

const HOLDS: Record<Comparator, (actual: number, bound: number) => boolean> = {
  gt: (actual, bound) => actual > bound,
  gte: (actual, bound) => actual >= bound,
  lt: (actual, bound) => actual < bound,
  lte: (actual, bound) => actual <= bound,
  eq: (actual, bound) => actual === bound,
}

/** The truth of the tree, given that of its leaves. */
export function holds(condition: Condition, isLeafSatisfied: (leaf: Leaf) => boolean): boolean {
  if (!('op' in condition)) return isLeafSatisfied(condition)
  switch (condition.op) {
    case 'AND':
      return condition.conditions.every((child) => holds(child, isLeafSatisfied))
    case 'OR':
      return condition.conditions.some((child) => holds(child, isLeafSatisfied))
    case 'NOT':
      return !holds(condition.condition, isLeafSatisfied)
  }
}

/** One event must satisfy all of a leaf at once: type, match and every comparator. */
export function satisfiesLeaf(event: Evidence, leaf: Leaf): boolean {
  return (
    !event.system &&
    event.type === leaf.event &&
    satisfiesMatch(event.payload, leaf.match) &&
    isInRange(event.payload, leaf)
  )
}

function satisfiesMatch(payload: JsonObject, match: Leaf['match']): boolean {
  if (match === undefined) return true
  if (typeof match === 'object') return jsonContains(payload, match)
  return valueAt(payload, 'value') === match
}

function isInRange(payload: JsonObject, leaf: Leaf): boolean {
  if (!hasComparator(leaf)) return true
  const actual: Json | undefined = valueAt(payload, leaf.field ?? 'value')
  return typeof actual === 'number' && COMPARATORS.every((name) => holdsFor(name, actual, leaf[name]))
}

const holdsFor = (name: Comparator, actual: number, bound: number | undefined) =>
  bound === undefined || HOLDS[name](actual, bound)

export const hasComparator = (leaf: Leaf): boolean => COMPARATORS.some((name) => leaf[name] !== undefined)

/** The leaves of the tree, from left to right. */
export function leavesOf(condition: Condition): Leaf[] {
  if (!('op' in condition)) return [condition]
  return condition.op === 'NOT' ? leavesOf(condition.condition) : condition.conditions.flatMap(leavesOf)
}

/** The event types that the condition names: events of other types cannot change its value. */
export function namedEventTypes(condition: Condition): Set<string> {
  return new Set(leavesOf(condition).map((leaf) => leaf.event))
}
