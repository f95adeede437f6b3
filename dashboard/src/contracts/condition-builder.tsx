import { useQuery } from '@tanstack/react-query'
import { useCallback, useId, useLayoutEffect, useMemo, useRef } from 'react'
import type { Issue } from '../../../src/kernel/issue.ts'
import { eventTypesQuery } from '../events/event-types-api.ts'
import { BuilderContext, type BuilderKind, type EditMade } from './builder-context.ts'
import type { BuilderNode } from './builder-node.ts'
import { conditionLimits } from './condition-limits.ts'
import { pathsOf } from './edit-node.ts'
import { AddEvent, NodeEditor } from './node-editor.tsx'

interface ConditionBuilderProps {
  /** Such as "Fulfillment condition". */
  label: string
  root: BuilderNode
  /** The path of the root in validation issues. */
  path: string
  kind?: BuilderKind
  /** @param typedField the text field that was typed into; null for any other edit */
  onChange: (root: BuilderNode, typedField: string | null) => void
  /** The issues of the whole contract. */
  issues: readonly Issue[]
  isChecked: boolean
}

/** Edits the condition as a tree. */
export function ConditionBuilder(props: ConditionBuilderProps) {
  const { label, root, path, kind = 'condition', onChange, issues, isChecked } = props
  const tree = useRef<HTMLUListElement>(null)
  const focus = useRef<string | null>(null)
  const typesId = useId()
  const { data: types = [] } = useQuery(eventTypesQuery)
  const paths = useMemo(() => pathsOf(root, path), [root, path])
  const messages = useMemo(() => new Map(issues.map(({ path, message }) => [path, message])), [issues])
  const change = useCallback(
    (changed: BuilderNode, made: EditMade = {}) => {
      focus.current = made.focus ?? null
      onChange(changed, made.typedField ?? null)
    },
    [onChange],
  )
  // After the node has moved.
  useLayoutEffect(() => {
    if (!focus.current) return
    tree.current?.querySelector<HTMLElement>(`[data-focus="${focus.current}"]`)?.focus()
    focus.current = null
  })
  const context = useMemo(
    () => ({
      root,
      kind,
      limits: conditionLimits(root),
      change,
      isChecked,
      typesId,
      issueAt: (id: string, below: string) => messages.get(`${paths.get(id)}${below}`),
    }),
    [root, kind, change, isChecked, typesId, messages, paths],
  )
  return (
    <BuilderContext value={context}>
      <ul ref={tree} className="-mx-1 grid gap-2 overflow-x-auto p-1" aria-label={label}>
        <NodeEditor node={root} />
        {root.kind === 'leaf' || root.kind === 'NOT' ? (
          <li>
            <AddEvent node={root} />
          </li>
        ) : null}
      </ul>
      <datalist id={typesId}>
        {types.map((type) => (
          <option key={type} value={type} />
        ))}
      </datalist>
    </BuilderContext>
  )
}
