import { Ellipsis, X } from 'lucide-react'
import { Button } from '../components/ui/button.tsx'
import { menuItemClass, PopoverMenu } from '../components/ui/popover-menu.tsx'
import { useBuilder } from './builder-context.ts'
import type { BuilderNode } from './builder-node.ts'
import {
  canUnwrap,
  moveBy,
  moveIn,
  moveOut,
  parentOf,
  possibleMoves,
  removeNode,
  unwrapNode,
  wrapNode,
} from './edit-node.ts'

interface Action {
  name: string
  isPossible: boolean
  change: () => BuilderNode
}

/** What can be done with a node: moved, wrapped, unwrapped, removed. The focus goes with it. */
export function NodeMenu({ node }: { node: BuilderNode }) {
  const { root, change } = useBuilder()
  const name = node.kind === 'leaf' ? `event ${node.event}`.trim() : 'group'
  const remove = () => {
    const changed = removeNode(root, node.id)
    const parent = parentOf(root, node.id)
    change(changed, parent ? focusAfter(changed, parent.id) : changed.id)
  }
  return (
    <span className="flex shrink-0 items-center">
      <PopoverMenu
        trigger={<Ellipsis aria-hidden />}
        variant="ghost"
        size="icon"
        aria-label={`More for ${name}`}
        data-focus={node.kind === 'NOT' ? node.id : undefined}
      >
        {(close) => (
          <ul>
            {actionsOf(root, node)
              .filter(({ isPossible }) => isPossible)
              .map((action) => (
                <li key={action.name}>
                  <button
                    type="button"
                    className={menuItemClass}
                    onClick={() => {
                      close()
                      const changed = action.change()
                      change(changed, focusAfter(changed, node.id))
                    }}
                  >
                    {action.name}
                  </button>
                </li>
              ))}
          </ul>
        )}
      </PopoverMenu>
      <Button variant="ghost" size="icon" aria-label={`Remove ${name}`} onClick={remove}>
        <X aria-hidden />
      </Button>
    </span>
  )
}

function actionsOf(root: BuilderNode, node: BuilderNode): Action[] {
  const { id } = node
  const can = possibleMoves(root, id)
  return [
    { name: 'Move up', isPossible: can.up, change: () => moveBy(root, id, -1) },
    { name: 'Move down', isPossible: can.down, change: () => moveBy(root, id, 1) },
    { name: 'Move out of its group', isPossible: can.out, change: () => moveOut(root, id) },
    { name: 'Move into the group beside it', isPossible: can.into, change: () => moveIn(root, id) },
    { name: 'Wrap in “All of these”', isPossible: true, change: () => wrapNode(root, id, 'AND') },
    { name: 'Wrap in “Any of these”', isPossible: true, change: () => wrapNode(root, id, 'OR') },
    { name: 'Wrap in “Not this”', isPossible: true, change: () => wrapNode(root, id, 'NOT') },
    {
      name: 'Unwrap',
      isPossible: node.kind !== 'leaf' && canUnwrap(root, node),
      change: () => unwrapNode(root, id),
    },
  ]
}

/** The node, or if it is gone, the root. */
const focusAfter = (root: BuilderNode, id: string): string =>
  root.id === id || parentOf(root, id) ? id : root.id
