import { MAX_CONDITION_DEPTH, MAX_CONDITION_NODES } from '../../../src/core/contracts/validate-condition.ts'
import type { BuilderNode } from './builder-node.ts'

/* What still fits into a condition: the domain takes so many levels and nodes. */

export interface TreeRoom {
  /** Why no group can be put around the node; null if one can. @param nodes that are added, the group among them */
  refuseAround: (id: string, nodes: number) => string | null
  /** Why nothing can be added below the group. @param levels of what is added @param nodes of it that are new */
  refuseBelow: (groupId: string, levels: number, nodes: number) => string | null
  /** Why the tree as it is takes more than there is; null if it does not. */
  refusal: string | null
}

interface Place {
  /** From the root down to it: 1 for the root. */
  depth: number
  /** From it down: 1 if nothing is below it. */
  levels: number
}

const TOO_MANY = `A condition has ${MAX_CONDITION_NODES} nodes at most.`
const TOO_DEEP = `A condition has ${MAX_CONDITION_DEPTH} levels at most.`

export function roomIn(root: BuilderNode): TreeRoom {
  const places = new Map<string, Place>()
  measure(root, 1, places)
  const placeOf = (id: string) => places.get(id) ?? { depth: 0, levels: 0 }
  const refuse = (nodes: number, deepest: number) => {
    if (places.size + nodes > MAX_CONDITION_NODES) return TOO_MANY
    return deepest > MAX_CONDITION_DEPTH ? TOO_DEEP : null
  }
  return {
    refuseAround: (id, nodes) => refuse(nodes, placeOf(id).depth + placeOf(id).levels),
    refuseBelow: (groupId, levels, nodes) => refuse(nodes, placeOf(groupId).depth + levels),
    refusal: refuse(0, placeOf(root.id).levels),
  }
}

function measure(node: BuilderNode, depth: number, places: Map<string, Place>): number {
  const children = node.kind === 'leaf' ? [] : node.children
  const place = { depth, levels: 1 }
  places.set(node.id, place)
  for (const child of children) place.levels = Math.max(place.levels, 1 + measure(child, depth + 1, places))
  return place.levels
}
