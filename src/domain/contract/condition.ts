import type { JsonObject } from '../json.ts'

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
