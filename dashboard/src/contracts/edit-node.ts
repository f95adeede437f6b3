import { type BuilderNode, type GroupKind, type GroupNode, newGroup, newLeaf } from './builder-node.ts'

/* Edits of the tree. Each returns a new root, or the same root if the edit is not possible.
 */

/** The nodes from the root to this node, or null if it is not in the tree. */
function findPath(root: BuilderNode, id: string): BuilderNode[] | null {
  if (root.id === id) return [root]
  if (root.kind === 'leaf') return null
  for (const child of root.children) {
    const path = findPath(child, id)
    if (path) return [root, ...path]
  }
  return null
}

/** The group that holds the node; null for the root. */
export const parentOf = (root: BuilderNode, id: string): GroupNode | null =>
  (findPath(root, id)?.at(-2) as GroupNode | undefined) ?? null

/** Replaces one node by others. If the parent can hold only one node, the others become a group. */
function replaceWith(root: BuilderNode, id: string, nodes: readonly BuilderNode[]): BuilderNode {
  const [only] = nodes
  const asOne = () => (nodes.length === 1 && only ? only : newGroup('AND', [...nodes]))
  if (root.id === id) return asOne()
  if (root.kind === 'leaf') return root
  const index = root.children.findIndex((child) => child.id === id)
  if (index < 0) {
    const children = root.children.map((child) => replaceWith(child, id, nodes))
    return children.every((child, i) => child === root.children[i]) ? root : { ...root, children }
  }
  const fitting = root.kind === 'NOT' ? [asOne()] : nodes
  return { ...root, children: root.children.toSpliced(index, 1, ...fitting) }
}

export const replaceNode = (root: BuilderNode, node: BuilderNode): BuilderNode =>
  replaceWith(root, node.id, [node])

/** Adds to the end of a group. */
export function addTo(root: BuilderNode, groupId: string, node: BuilderNode): BuilderNode {
  const group = findPath(root, groupId)?.at(-1)
  if (!group || group.kind === 'leaf' || group.kind === 'NOT') return root
  return replaceNode(root, { ...group, children: [...group.children, node] })
}

/** Removes a node, and a NOT that would be empty. Removing the root leaves an empty leaf. */
export function removeNode(root: BuilderNode, id: string): BuilderNode {
  if (root.id === id) return newLeaf()
  const parent = parentOf(root, id)
  return parent?.kind === 'NOT' ? removeNode(root, parent.id) : replaceWith(root, id, [])
}

/** The node to focus after a removal: the next in the group, the previous one, or the group. Null if none is left. */
export function neighbourOf(root: BuilderNode, id: string): BuilderNode | null {
  const parent = parentOf(root, id)
  if (parent === null) return null
  if (parent.kind === 'NOT') return neighbourOf(root, parent.id)
  const index = parent.children.findIndex((child) => child.id === id)
  return parent.children[index + 1] ?? parent.children[index - 1] ?? parent
}

/** The id of the node's text field. A NOT has the field of its child. */
export const fieldOf = (node: BuilderNode): string => {
  const [child] = node.kind === 'NOT' ? node.children : []
  return child ? fieldOf(child) : node.id
}

/** Moves the node up (-1) or down (1) among its siblings. */
export function moveBy(root: BuilderNode, id: string, step: -1 | 1): BuilderNode {
  const parent = parentOf(root, id)
  if (!parent) return root
  const from = parent.children.findIndex((child) => child.id === id)
  const to = from + step
  if (to < 0 || to >= parent.children.length) return root
  const node = parent.children[from] as BuilderNode
  return replaceNode(root, { ...parent, children: parent.children.toSpliced(from, 1).toSpliced(to, 0, node) })
}

/** Moves the node out of its group, to the position after it. */
export function moveOut(root: BuilderNode, id: string): BuilderNode {
  const path = findPath(root, id)
  const [target, group, node] = path?.slice(-3) ?? []
  if (!node || group?.kind === 'leaf' || group?.kind === 'NOT') return root
  if (!group || !target || target.kind === 'leaf' || target.kind === 'NOT') return root
  const without = { ...group, children: group.children.filter((child) => child.id !== id) }
  return replaceWith(root, group.id, [without, node])
}

/** Moves the node into the previous or next group. */
export function moveIn(root: BuilderNode, id: string): BuilderNode {
  const parent = parentOf(root, id)
  const group = parent && groupBeside(parent, id)
  const node = parent?.children.find((child) => child.id === id)
  if (!group || !node) return root
  return addTo(removeNode(root, id), group.id, node)
}

function groupBeside({ children }: GroupNode, id: string): GroupNode | null {
  const index = children.findIndex((child) => child.id === id)
  const beside = [children[index - 1], children[index + 1]]
  return (beside.find((node) => node?.kind === 'AND' || node?.kind === 'OR') as GroupNode | undefined) ?? null
}

/** Wraps the node in a new group. */
export function wrapNode(root: BuilderNode, id: string, kind: GroupKind): BuilderNode {
  const node = findPath(root, id)?.at(-1)
  return node ? replaceWith(root, id, [newGroup(kind, [node])]) : root
}

/** Combines two nodes with AND or OR: in the existing group if it is of this kind, else in a new group. */
export function combineNode(
  root: BuilderNode,
  id: string,
  kind: 'AND' | 'OR',
  added: BuilderNode,
): BuilderNode {
  const path = findPath(root, id)
  const node = path?.at(-1)
  if (!node) return root
  const parent = path?.at(-2)
  return replaceWith(root, id, parent?.kind === kind ? [node, added] : [newGroup(kind, [node, added])])
}

/** Replaces a group by its children. */
export function unwrapNode(root: BuilderNode, id: string): BuilderNode {
  const node = findPath(root, id)?.at(-1)
  return !node || node.kind === 'leaf' || !canUnwrap(root, node) ? root : replaceWith(root, id, node.children)
}

/** The root and a NOT hold one node, so the group must then have one child. An empty group is removed instead. */
export function canUnwrap(root: BuilderNode, group: GroupNode): boolean {
  const parent = parentOf(root, group.id)
  const isOnlyPlace = !parent || parent.kind === 'NOT'
  return group.children.length === 1 || (group.children.length > 1 && !isOnlyPlace)
}

/** The moves that are possible for a node. */
export function possibleMoves(root: BuilderNode, id: string) {
  const parent = parentOf(root, id)
  const index = parent?.children.findIndex((child) => child.id === id) ?? 0
  return {
    up: parent !== null && index > 0,
    down: parent !== null && index < parent.children.length - 1,
    out: moveOut(root, id) !== root,
    into: parent !== null && groupBeside(parent, id) !== null,
  }
}

/** The paths of the node and its descendants in validation issues, by node id. */
export function pathsOf(node: BuilderNode, path: string): Map<string, string> {
  const paths = new Map([[node.id, path]])
  if (node.kind === 'leaf') return paths
  for (const [i, child] of node.children.entries()) {
    const below = node.kind === 'NOT' ? `${path}.condition` : `${path}.conditions[${i}]`
    for (const [id, found] of pathsOf(child, below)) paths.set(id, found)
  }
  return paths
}
