import type { BuilderKind } from './builder-context.ts'
import {
  type BuilderNode,
  GROUP_NAMES,
  type GroupKind,
  type LeafNode,
  newGroup,
  newLeaf,
} from './builder-node.ts'
import { conditionLimits } from './condition-limits.ts'
import {
  addTo,
  canUnwrap,
  combineNode,
  fieldOf,
  moveBy,
  moveIn,
  moveOut,
  neighbourOf,
  parentOf,
  removeNode,
  replaceNode,
  unwrapNode,
  wrapNode,
} from './edit-node.ts'
import { valueFieldOf } from './match-editor.tsx'
import { boundFieldOf, freeComparators } from './range-editor.tsx'

/** An edit of a node, as its menu offers it. */
export interface NodeAction {
  name: string
  /** The tree after the edit. */
  root: BuilderNode
  /** The id of the field that gets the focus. */
  focus: string
  /** Why the edit is not possible, or null. */
  refusal: string | null
  shortcut?: Shortcut
}

/** Pressed with Ctrl, or Cmd on a Mac. */
export type Shortcut = 'Enter' | 'Shift ArrowUp' | 'Shift ArrowDown' | 'Shift Backspace'

/** The edits that are possible for a node, in groups. */
export function nodeActions(root: BuilderNode, node: BuilderNode, kind: BuilderKind): NodeAction[][] {
  const groups = kind === 'trigger' ? triggerEdits(root, node) : conditionEdits(root, node)
  return [...(node.kind === 'leaf' ? [leafEdits(root, node)] : []), ...groups, moves(root, node)]
    .map((edits) => edits.filter((edit) => edit !== null))
    .filter((edits) => edits.length > 0)
}

type Edit = NodeAction | null

/** An edit that may exceed a limit. Null if it changes nothing. */
function edit(
  before: BuilderNode,
  name: string,
  root: BuilderNode,
  focus: string,
  shortcut?: Shortcut,
): Edit {
  if (root === before) return null
  return { name, root, focus, refusal: conditionLimits(root).refusal, ...(shortcut && { shortcut }) }
}

function leafEdits(root: BuilderNode, leaf: LeafNode): Edit[] {
  const { match, bounds, aggregate } = leaf
  const [comparator] = freeComparators(leaf)
  const set = (name: string, changed: Partial<LeafNode>, focus: string) =>
    edit(root, name, replaceNode(root, { ...leaf, ...changed }), focus)
  return [
    match ? null : set('Value equals', { match: { by: 'value', text: '' } }, valueFieldOf(leaf)),
    comparator
      ? set(
          aggregate === '' && bounds.length === 0 ? 'Compare a number' : 'Add a bound',
          { bounds: [...bounds, { comparator, text: '' }] },
          boundFieldOf(leaf, comparator),
        )
      : null,
  ]
}

/** Adds the next event: to the group, or beside a node that is no group. */
export function addEvent(root: BuilderNode, node: BuilderNode, kind: BuilderKind): Edit {
  const leaf = newLeaf()
  const beside = parentOf(root, node.id)?.kind === 'OR' || kind === 'trigger' ? 'OR' : 'AND'
  const isList = node.kind === 'AND' || node.kind === 'OR'
  const changed = isList ? addTo(root, node.id, leaf) : combineNode(root, node.id, beside, leaf)
  const name = isList ? 'Add an event' : beside === 'OR' ? 'Or another event' : 'And another event'
  return edit(root, name, changed, leaf.id, 'Enter')
}

const triggerEdits = (root: BuilderNode, node: BuilderNode): Edit[][] => [
  [addEvent(root, node, 'trigger')],
  [node.kind === 'leaf' ? null : unwrap(root, node)],
]

function conditionEdits(root: BuilderNode, node: BuilderNode): Edit[][] {
  const next = addEvent(root, node, 'condition')
  const combine = (kind: 'AND' | 'OR') => {
    const leaf = newLeaf()
    const name = kind === 'AND' ? 'And another event' : 'Or another event'
    if (node.kind === kind || name === next?.name) return null
    return edit(root, name, combineNode(root, node.id, kind, leaf), leaf.id)
  }
  const wrap = (kind: GroupKind) =>
    edit(root, `Wrap in “${GROUP_NAMES[kind]}”`, wrapNode(root, node.id, kind), fieldOf(node))
  // A group in a group of the same kind is redundant, and so are two NOTs.
  const isNegated = node.kind === 'NOT' || parentOf(root, node.id)?.kind === 'NOT'
  return [
    [next, addGroup(root, node), combine('AND'), combine('OR')],
    [
      node.kind === 'AND' ? null : wrap('AND'),
      node.kind === 'OR' ? null : wrap('OR'),
      isNegated ? null : wrap('NOT'),
      node.kind === 'leaf' ? null : unwrap(root, node),
    ],
  ]
}

function addGroup(root: BuilderNode, node: BuilderNode): Edit {
  if (node.kind === 'leaf' || node.kind === 'NOT') return null
  const leaf = newLeaf()
  const group = newGroup(node.kind === 'AND' ? 'OR' : 'AND', [leaf])
  return edit(root, 'Add a group', addTo(root, node.id, group), leaf.id)
}

const unwrap = (root: BuilderNode, group: Exclude<BuilderNode, LeafNode>): Edit =>
  canUnwrap(root, group)
    ? edit(root, 'Unwrap', unwrapNode(root, group.id), fieldOf(group.children[0] ?? group))
    : null

function moves(root: BuilderNode, node: BuilderNode): Edit[] {
  const { id } = node
  const field = fieldOf(node)
  const without = removeNode(root, id)
  return [
    edit(root, 'Move up', moveBy(root, id, -1), field, 'Shift ArrowUp'),
    edit(root, 'Move down', moveBy(root, id, 1), field, 'Shift ArrowDown'),
    edit(root, 'Move out of its group', moveOut(root, id), field),
    edit(root, 'Move into the group beside it', moveIn(root, id), field),
    {
      name: 'Remove',
      root: without,
      focus: fieldOf(neighbourOf(root, id) ?? without),
      refusal: null,
      shortcut: 'Shift Backspace',
    },
  ]
}
