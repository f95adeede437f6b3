import { MAX_CONDITION_DEPTH, MAX_CONDITION_NODES } from '../../../src/core/limits.ts'
import type { BuilderNode } from './builder-node.ts'

/* The limits of a condition: nodes and levels. */

export interface ConditionLimits {
  /** Why nothing can be added to the group, or null. @param levels and @param nodes of the addition */
  refusalToAdd: (groupId: string, levels: number, nodes: number) => string | null
  /** Which limit the tree exceeds, or null. */
  refusal: string | null
}

interface Place {
  /** Levels from the root: 1 for the root. */
  depth: number
  /** Levels below, including the node itself. */
  levels: number
}

const TOO_MANY = `A condition can have at most ${MAX_CONDITION_NODES} nodes.`
const TOO_DEEP = `A condition can have at most ${MAX_CONDITION_DEPTH} levels.`

export function conditionLimits(root: BuilderNode): ConditionLimits {
  const places = new Map<string, Place>()
  measure(root, 1, places)
  const findField = (id: string) => places.get(id) ?? { depth: 0, levels: 0 }
  const refuse = (nodes: number, deepest: number) => {
    if (places.size + nodes > MAX_CONDITION_NODES) return TOO_MANY
    return deepest > MAX_CONDITION_DEPTH ? TOO_DEEP : null
  }
  return {
    refusalToAdd: (groupId, levels, nodes) => refuse(nodes, findField(groupId).depth + levels),
    refusal: refuse(0, findField(root.id).levels),
  }
}

function measure(node: BuilderNode, depth: number, places: Map<string, Place>): number {
  const children = node.kind === 'leaf' ? [] : node.children
  const place = { depth, levels: 1 }
  places.set(node.id, place)
  for (const child of children) place.levels = Math.max(place.levels, 1 + measure(child, depth + 1, places))
  return place.levels
}
