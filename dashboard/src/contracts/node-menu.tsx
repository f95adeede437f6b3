import { Ellipsis, X } from 'lucide-react'
import { Button } from '../components/button.tsx'
import { Menu } from '../components/menu.tsx'
import { type BuilderKind, useBuilder } from './builder-context.ts'
import { type BuilderNode, nameOf } from './builder-node.ts'
import { type NodeAction, nodeActions, type Shortcut } from './node-actions.ts'
import { ariaShortcut, shortcutKeys } from './node-shortcuts.ts'

/** The edits of a node, and its removal. */
export function NodeMenu({ node }: { node: BuilderNode }) {
  const { root, kind, change } = useBuilder()
  const name = nameOf(node)
  const apply = ({ root: changed, focus }: NodeAction) => change(changed, { focus })
  const remove = () => {
    const found = nodeActions(root, node, kind).flat().find(isRemoval)
    if (found) apply(found)
  }
  return (
    <span className="flex shrink-0 items-center">
      <Menu
        trigger={<Ellipsis aria-hidden />}
        variant="ghost"
        size="icon"
        aria-label={`Edit ${name}`}
        title="Edit"
        data-focus={hasOwnField(node, kind) ? undefined : node.id}
        groupsOf={() =>
          nodeActions(root, node, kind).map((actions) =>
            actions.map((action) => ({
              name: action.name,
              refusal: action.refusal,
              ...shortcutOf(action.shortcut),
              onChoose: () => apply(action),
            })),
          )
        }
      />
      <Button variant="ghost" size="icon" aria-label={`Remove ${name}`} title="Remove" onClick={remove}>
        <X aria-hidden />
      </Button>
    </span>
  )
}

/** The type of an event, or the choice of a group's kind. */
const hasOwnField = ({ kind }: BuilderNode, edited: BuilderKind): boolean =>
  kind !== 'NOT' && !(edited === 'trigger' && kind === 'OR')

const isRemoval = ({ shortcut }: NodeAction) => shortcut === 'Shift Backspace'

const shortcutOf = (shortcut: Shortcut | undefined) =>
  shortcut ? { keys: shortcutKeys(shortcut), ariaKeys: ariaShortcut(shortcut) } : {}
