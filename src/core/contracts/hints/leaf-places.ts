import type { Condition, Leaf } from '../condition.ts'

export interface LeafPlace {
  leaf: Leaf
  path: string
  /** Of the NOT by which the leaf must not be satisfied; null if it must. */
  not: string | null
}

/** The leaves of a condition, from left to right. */
export const leafPlaces = (condition: Condition, path: string): LeafPlace[] => placesOf(condition, path, null)

function placesOf(node: Condition, path: string, not: string | null): LeafPlace[] {
  if (!('op' in node)) return [{ leaf: node, path, not }]
  if (node.op === 'NOT') return placesOf(node.condition, `${path}.condition`, not === null ? path : null)
  return node.conditions.flatMap((child, i) => placesOf(child, `${path}.conditions[${i}]`, not))
}
