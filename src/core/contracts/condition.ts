import type { JsonObject } from '../../kernel/json.ts'
import type { Bounds } from './comparators.ts'

/** §2.2: a tree of leaves and operators. The object is the one that the caller sent. */
export type Condition = Leaf | AllOrAny | Not

/** Aggregates over all matching events of a log: the number of events, the exact sum of a field, the number of its distinct values. */
export const AGGREGATES = ['count', 'sum', 'distinct'] as const
export type Aggregate = (typeof AGGREGATES)[number]

export interface Leaf extends Bounds {
  event: string
  match?: JsonObject | string | number | boolean
  field?: string
  /** §2.1a: the comparators compare this aggregate of the log instead of a number of one event. */
  aggregate?: Aggregate
}
interface AllOrAny {
  op: 'AND' | 'OR'
  conditions: Condition[]
}
interface Not {
  op: 'NOT'
  condition: Condition
}

/** Evaluates the tree from the truth of its leaves. */
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

/** The leaves of the tree, from left to right. */
export function leavesOf(condition: Condition): Leaf[] {
  if (!('op' in condition)) return [condition]
  return condition.op === 'NOT' ? leavesOf(condition.condition) : condition.conditions.flatMap(leavesOf)
}

/** The event types that the condition names: events of other types cannot change its value. */
export function namedEventTypes(condition: Condition): Set<string> {
  return new Set(leavesOf(condition).map((leaf) => leaf.event))
}
