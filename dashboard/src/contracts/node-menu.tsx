import { ArrowUpDown, X } from 'lucide-react'
import { useId } from 'react'
import { Button } from '../components/button.tsx'
import { menuItemClass, PopoverMenu } from '../components/popover-menu.tsx'
import { useBuilder } from './builder-context.ts'
import { type BuilderNode, nameOf } from './builder-node.ts'
import { conditionLimits } from './condition-limits.ts'
import { fieldOf, moveBy, moveIn, moveOut, neighbourOf, possibleMoves, removeNode } from './edit-node.ts'

/** Moves or removes a node. */
export function NodeMenu({ node }: { node: BuilderNode }) {
  const { root, change } = useBuilder()
  const name = nameOf(node)
  const canMove = Object.values(possibleMoves(root, node.id)).includes(true)
  const remove = () => {
    const changed = removeNode(root, node.id)
    change(changed, { focus: fieldOf(neighbourOf(root, node.id) ?? changed) })
  }
  return (
    <span className="flex shrink-0 items-center">
      {canMove ? (
        <PopoverMenu
          trigger={<ArrowUpDown aria-hidden />}
          variant="ghost"
          size="icon"
          aria-label={`Move ${name}`}
          title="Move"
        >
          {(close) => <Moves node={node} close={close} />}
        </PopoverMenu>
      ) : null}
      <Button variant="ghost" size="icon" aria-label={`Remove ${name}`} title="Remove" onClick={remove}>
        <X aria-hidden />
      </Button>
    </span>
  )
}

function Moves({ node, close }: { node: BuilderNode; close: () => void }) {
  const { root } = useBuilder()
  const { id } = node
  const can = possibleMoves(root, id)
  const moves = [
    can.up && ['Move up', moveBy(root, id, -1)],
    can.down && ['Move down', moveBy(root, id, 1)],
    can.out && ['Move out of its group', moveOut(root, id)],
    can.into && ['Move into the group beside it', moveIn(root, id)],
  ].filter((move) => move !== false) as [name: string, changed: BuilderNode][]
  return (
    <ul>
      {moves.map(([name, changed]) => (
        <Move key={name} name={name} node={node} changed={changed} close={close} />
      ))}
    </ul>
  )
}

interface MoveProps {
  name: string
  node: BuilderNode
  changed: BuilderNode
  close: () => void
}

function Move({ name, node, changed, close }: MoveProps) {
  const { change } = useBuilder()
  const refusal = conditionLimits(changed).refusal
  const reasonId = useId()
  return (
    <li>
      <button
        type="button"
        className={menuItemClass}
        aria-disabled={refusal ? true : undefined}
        aria-describedby={refusal ? reasonId : undefined}
        onClick={() => {
          if (refusal) return
          close()
          change(changed, { focus: fieldOf(node) })
        }}
      >
        {name}
      </button>
      {refusal ? (
        <p id={reasonId} className="px-2.5 pb-1.5 text-xs text-muted">
          {refusal}
        </p>
      ) : null}
    </li>
  )
}
