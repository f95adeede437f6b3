import { CalendarPlus } from 'lucide-react'
import { useId } from 'react'
import { Button } from '../components/button.tsx'
import { cn } from '../components/cn.ts'
import { Select } from '../components/select.tsx'
import { asSentence } from '../format/as-sentence.ts'
import { useBuilder } from './builder-context.ts'
import { type BuilderNode, GROUP_NAMES, type GroupNode } from './builder-node.ts'
import { replaceNode } from './edit-node.ts'
import { LeafEditor } from './leaf-editor.tsx'
import { addEvent } from './node-actions.ts'
import { NodeMenu } from './node-menu.tsx'
import { onNodeKey } from './node-shortcuts.ts'

export function NodeEditor({ node }: { node: BuilderNode }) {
  const builder = useBuilder()
  return (
    <li className="min-w-56" onKeyDown={(event) => onNodeKey(event, node, builder)}>
      {node.kind === 'leaf' ? <LeafEditor leaf={node} /> : <GroupEditor group={node} />}
    </li>
  )
}

const EDGE = { AND: 'border-open/50', OR: 'border-pending/60', NOT: 'border-failed/50' } as const
const EMPTY_TEXTS = { AND: 'Empty: always true.', OR: 'Empty: never true.', NOT: '' } as const

function GroupEditor({ group }: { group: GroupNode }) {
  const { issueAt } = useBuilder()
  const problemId = useId()
  const problem = issueAt(group.id, '')
  return (
    <fieldset aria-describedby={problem ? problemId : undefined}>
      <legend className="sr-only">{GROUP_NAMES[group.kind]}</legend>
      <div className="flex items-center gap-1">
        <GroupKindChoice group={group} />
        <NodeMenu node={group} />
      </div>
      {problem ? (
        <p id={problemId} className="mt-1 text-xs font-medium text-failed">
          {asSentence(problem)}
        </p>
      ) : null}
      <ul className={cn('mt-2 ms-1.5 grid gap-2 border-s-2 ps-2.5 sm:ms-3 sm:ps-4', EDGE[group.kind])}>
        {group.children.map((child) => (
          <NodeEditor key={child.id} node={child} />
        ))}
        {group.kind === 'NOT' ? null : (
          <li className="grid gap-1.5">
            {group.children.length === 0 ? (
              <span className="text-xs text-muted">{EMPTY_TEXTS[group.kind]}</span>
            ) : null}
            <AddEvent node={group} />
          </li>
        )}
      </ul>
    </fieldset>
  )
}

function GroupKindChoice({ group }: { group: GroupNode }) {
  const { root, kind, change } = useBuilder()
  if (group.kind === 'NOT') {
    return (
      <span className="flex-1 font-medium">
        Not this <span className="text-xs font-normal text-muted max-sm:hidden">(NOT)</span>
      </span>
    )
  }
  if (kind === 'trigger' && group.kind === 'OR') {
    return <span className="flex-1 font-medium">{GROUP_NAMES.OR}</span>
  }
  return (
    <span className="min-w-0 flex-1">
      <Select
        aria-label="How many of these are needed"
        className="sm:w-48"
        data-focus={group.id}
        value={group.kind}
        onChange={({ target }) =>
          change(replaceNode(root, { ...group, kind: target.value as 'AND' | 'OR' }), { focus: group.id })
        }
      >
        <option value="AND">{GROUP_NAMES.AND} (AND)</option>
        <option value="OR">{GROUP_NAMES.OR} (OR)</option>
      </Select>
    </span>
  )
}

/** Adds the next event to a group, or beside a root that is no group. */
export function AddEvent({ node }: { node: BuilderNode }) {
  const { root, kind, limits, change } = useBuilder()
  const reasonId = useId()
  const isList = node.kind === 'AND' || node.kind === 'OR'
  const refusal = isList ? limits.refusalToAdd(node.id, 1, 1) : addEvent(root, node, kind)?.refusal
  const add = () => {
    const made = addEvent(root, node, kind)
    if (made) change(made.root, { focus: made.focus })
  }
  return (
    <span className="grid justify-items-start gap-1.5">
      <Button
        size="sm"
        aria-label={isList ? `Add event to “${GROUP_NAMES[node.kind]}”` : 'Add event'}
        refusedBy={refusal ? reasonId : undefined}
        onClick={add}
      >
        <CalendarPlus aria-hidden /> Event
      </Button>
      {refusal ? (
        <span id={reasonId} className="text-xs text-muted">
          {refusal}
        </span>
      ) : null}
    </span>
  )
}
