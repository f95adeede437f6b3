import { type ReactNode, useId } from 'react'
import { Button, type ButtonProps } from '../components/button.tsx'
import { Toolbar } from '../components/toolbar.tsx'
import { useBuilder } from './builder-context.ts'
import { type BuilderNode, GROUP_NAMES, type GroupKind, nameOf, newLeaf } from './builder-node.ts'
import { canUnwrap, combineNode, fieldOf, parentOf, unwrapNode, wrapNode } from './edit-node.ts'

interface NodeToolbarProps {
  node: BuilderNode
  /** Further buttons, before its own. */
  children?: ReactNode
}

/** Combines, wraps or unwraps a node. */
export function NodeToolbar({ node, children }: NodeToolbarProps) {
  const { root, change, limits } = useBuilder()
  const reasonId = useId()
  const name = nameOf(node)
  const parent = parentOf(root, node.id)
  const refusals = new Set<string>()
  const unless = (refusal: string | null) => {
    if (refusal) refusals.add(refusal)
    return { refusedBy: refusal ? reasonId : undefined }
  }
  const combine = (kind: 'AND' | 'OR') => {
    const leaf = newLeaf()
    change(combineNode(root, node.id, kind, leaf), { focus: leaf.id })
  }
  const combineIn = (kind: 'AND' | 'OR') => ({
    'aria-label': `Add an event with ${JOINS[kind]} next to ${name}`,
    onClick: () => combine(kind),
    ...unless(
      parent?.kind === kind ? limits.refusalToAdd(parent.id, 1, 1) : limits.refusalToWrap(node.id, 2),
    ),
  })
  const wrapIn = (kind: GroupKind) => ({
    'aria-label': `Wrap ${name} in “${GROUP_NAMES[kind]}”`,
    onClick: () => change(wrapNode(root, node.id, kind), { focus: fieldOf(node) }),
    ...unless(limits.refusalToWrap(node.id, 1)),
  })
  // A group in a group of the same kind is redundant, and so are two NOTs.
  const isNegated = node.kind === 'NOT' || parent?.kind === 'NOT'
  return (
    <div>
      <Toolbar aria-label={`Edit ${name}`} className="-my-0.5">
        {children}
        <span className="flex">
          {node.kind === 'AND' ? null : (
            <Action {...combineIn('AND')} data-focus={node.kind === 'NOT' ? node.id : undefined}>
              + And
            </Action>
          )}
          {node.kind === 'OR' ? null : <Action {...combineIn('OR')}>+ Or</Action>}
        </span>
        <span className="flex items-center">
          <span aria-hidden className="ms-2 text-xs text-muted">
            Wrap in
          </span>
          {node.kind === 'AND' ? null : <Action {...wrapIn('AND')}>All of</Action>}
          {node.kind === 'OR' ? null : <Action {...wrapIn('OR')}>Any of</Action>}
          {isNegated ? null : <Action {...wrapIn('NOT')}>Not</Action>}
        </span>
        {node.kind !== 'leaf' && canUnwrap(root, node) ? (
          <Action
            aria-label={`Unwrap ${name}`}
            onClick={() => change(unwrapNode(root, node.id), { focus: fieldOf(node.children[0] ?? node) })}
          >
            Unwrap
          </Action>
        ) : null}
      </Toolbar>
      {refusals.size > 0 ? (
        <p id={reasonId} className="mt-1 text-xs text-muted">
          {[...refusals].join(' ')}
        </p>
      ) : null}
    </div>
  )
}

const JOINS = { AND: 'And', OR: 'Or' } as const

export const Action = (props: ButtonProps) => (
  <Button size="sm" variant="ghost" className="px-1.5" {...props} />
)
