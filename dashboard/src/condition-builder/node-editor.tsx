import { CalendarPlus, FolderPlus } from 'lucide-react'
import { Button } from '../components/ui/button.tsx'
import { cn } from '../components/ui/cn.ts'
import { Select } from '../components/ui/select.tsx'
import { useBuilder } from './builder-context.ts'
import { type BuilderNode, type GroupNode, newGroup, newLeaf } from './builder-node.ts'
import { addTo, replaceNode } from './edit-node.ts'
import { LeafEditor } from './leaf-editor.tsx'
import { NodeMenu } from './node-menu.tsx'

export function NodeEditor({ node }: { node: BuilderNode }) {
  return (
    <li className="min-w-56">
      {node.kind === 'leaf' ? <LeafEditor leaf={node} /> : <GroupEditor group={node} />}
    </li>
  )
}

const NAMES = { AND: 'All of these', OR: 'Any of these', NOT: 'Not this' } as const
const EDGE = { AND: 'border-open/50', OR: 'border-pending/60', NOT: 'border-failed/50' } as const
const OF_NONE = { AND: 'Of nothing: it always holds.', OR: 'Of nothing: it never holds.', NOT: '' } as const

function GroupEditor({ group }: { group: GroupNode }) {
  const { issueAt } = useBuilder()
  const problem = issueAt(group.id, '')
  return (
    <fieldset>
      <legend className="sr-only">{NAMES[group.kind]}</legend>
      <div className="flex items-center gap-1">
        <GroupKindChoice group={group} />
        <NodeMenu node={group} />
      </div>
      {problem ? <p className="mt-1 text-xs font-medium text-failed">{problem}</p> : null}
      <ul className={cn('mt-2 ml-1.5 grid gap-2 border-l-2 pl-2.5 sm:ml-3 sm:pl-4', EDGE[group.kind])}>
        {group.children.map((child) => (
          <NodeEditor key={child.id} node={child} />
        ))}
        {group.kind === 'NOT' ? null : (
          <li className="grid gap-1.5">
            {group.children.length === 0 ? (
              <span className="text-xs text-muted">{OF_NONE[group.kind]}</span>
            ) : null}
            <AddButtons group={group} />
          </li>
        )}
      </ul>
    </fieldset>
  )
}

function GroupKindChoice({ group }: { group: GroupNode }) {
  const { root, change } = useBuilder()
  if (group.kind === 'NOT') {
    return (
      <span className="flex-1 font-medium">
        Not this <span className="text-xs font-normal text-muted max-sm:hidden">(NOT)</span>
      </span>
    )
  }
  return (
    <span className="min-w-0 flex-1">
      <Select
        aria-label="How many of these are needed"
        className="sm:w-48"
        data-focus={group.id}
        value={group.kind}
        onChange={({ target }) =>
          change(replaceNode(root, { ...group, kind: target.value as 'AND' | 'OR' }), group.id)
        }
      >
        <option value="AND">{NAMES.AND} (AND)</option>
        <option value="OR">{NAMES.OR} (OR)</option>
      </Select>
    </span>
  )
}

function AddButtons({ group }: { group: GroupNode }) {
  const { root, change } = useBuilder()
  const addEvent = () => {
    const leaf = newLeaf()
    change(addTo(root, group.id, leaf), leaf.id)
  }
  const addGroup = () => {
    const leaf = newLeaf()
    change(addTo(root, group.id, newGroup(group.kind === 'AND' ? 'OR' : 'AND', [leaf])), leaf.id)
  }
  const into = `to “${NAMES[group.kind]}”`
  return (
    <span className="flex flex-wrap gap-1.5">
      <Button size="sm" onClick={addEvent} aria-label={`Add event ${into}`}>
        <CalendarPlus aria-hidden /> Event
      </Button>
      <Button size="sm" onClick={addGroup} aria-label={`Add group ${into}`}>
        <FolderPlus aria-hidden /> Group
      </Button>
    </span>
  )
}
