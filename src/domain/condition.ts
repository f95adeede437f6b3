import type { LogEvent } from './event.ts'
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

/**
 * Evaluates the condition from scratch over the whole log, as a set (§2.2 rules 1 and 2).
 * System events satisfy nothing: the condition speaks of what was submitted (§2.2 rule 3).
 */
export function isSatisfied(condition: Condition, log: readonly LogEvent[]): boolean {
  if (!('op' in condition)) {
    return log.some((event) => !event.system && satisfiesLeaf(event, condition))
  }
  switch (condition.op) {
    case 'AND':
      return condition.conditions.every((child) => isSatisfied(child, log))
    case 'OR':
      return condition.conditions.some((child) => isSatisfied(child, log))
    case 'NOT':
      return !isSatisfied(condition.condition, log)
  }
}

/** One event must satisfy all of a leaf at once: type, match and every comparator. */
function satisfiesLeaf(event: LogEvent, leaf: Leaf): boolean {
  return (
    event.type === leaf.event && satisfiesMatch(event.payload, leaf.match) && isInRange(event.payload, leaf)
  )
}

function satisfiesMatch(payload: JsonObject, match: Leaf['match']): boolean {
  if (match === undefined) return true
  if (typeof match === 'object') return jsonContains(payload, match)
  return valueAt(payload, 'value') === match
}

function isInRange(payload: JsonObject, leaf: Leaf): boolean {
  const comparators = COMPARATORS.filter((name) => leaf[name] !== undefined)
  if (comparators.length === 0) return true
  const actual: Json | undefined = valueAt(payload, leaf.field ?? 'value')
  return typeof actual === 'number' && comparators.every((name) => HOLDS[name](actual, leaf[name] as number))
}

/** The event types that the condition names: events of other types cannot change its value. */
export function namedEventTypes(condition: Condition): Set<string> {
  if (!('op' in condition)) return new Set([condition.event])
  const children = condition.op === 'NOT' ? [condition.condition] : condition.conditions
  return new Set(children.flatMap((child) => [...namedEventTypes(child)]))
}
