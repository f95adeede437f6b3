import { useId } from 'react'
import { isReservedType } from '../../../src/core/claims/event.ts'
import { asSentence } from '../format/as-sentence.ts'
import { BuilderCell } from './builder-cell.tsx'
import { type LeafPartProps, useBuilder } from './builder-context.ts'
import { type LeafNode, newId } from './builder-node.ts'
import { replaceNode } from './edit-node.ts'
import { MatchEditor, valueFieldOf } from './match-editor.tsx'
import { NodeMenu } from './node-menu.tsx'
import { Action, NodeToolbar } from './node-toolbar.tsx'
import { boundFieldOf, freeComparators, RangeEditor } from './range-editor.tsx'

/** Edits a leaf: event type, matching fields and number range. */
export function LeafEditor({ leaf }: { leaf: LeafNode }) {
  const { root, change, issueAt, typesId } = useBuilder()
  const problemId = useId()
  const problem = issueAt(leaf.id, '')
  const set: LeafPartProps['set'] = (changed, made) =>
    change(replaceNode(root, { ...leaf, ...changed }), made)
  return (
    <fieldset
      className="grid gap-2 rounded-xl border bg-canvas p-2 sm:p-2.5"
      aria-describedby={problem ? problemId : undefined}
    >
      <legend className="sr-only">Event {leaf.event}</legend>
      <div className="flex items-start gap-1">
        <BuilderCell
          className="flex-1"
          aria-label="Event type"
          placeholder="For example delivered"
          field={leaf.id}
          list={typesId}
          value={leaf.event}
          error={issueAt(leaf.id, '.event')}
          onChange={(event, made) => set({ event }, made)}
        />
        <NodeMenu node={leaf} />
      </div>
      {isReservedType(leaf.event) ? (
        <p className="text-xs text-muted">
          This type is reserved for the service. No submitted event can satisfy it.
        </p>
      ) : null}
      <MatchEditor leaf={leaf} set={set} />
      <RangeEditor leaf={leaf} set={set} />
      <NodeToolbar node={leaf}>
        <AddDemands leaf={leaf} set={set} />
      </NodeToolbar>
      {problem ? (
        <p id={problemId} className="text-xs font-medium text-failed">
          {asSentence(problem)}
        </p>
      ) : null}
    </fieldset>
  )
}

function AddDemands({ leaf, set }: LeafPartProps) {
  const { match, bounds } = leaf
  const [comparator] = freeComparators(leaf)
  const fields = match?.by === 'fields' ? match.fields : []
  const addField = () => {
    const field = { id: newId(), key: '', text: '' }
    set({ match: { by: 'fields', fields: [...fields, field] } }, { focus: field.id })
  }
  const addValue = () => set({ match: { by: 'value', text: '' } }, { focus: valueFieldOf(leaf) })
  return (
    <>
      {match?.by === 'value' ? null : <Action onClick={addField}>+ Field equals</Action>}
      {match ? null : <Action onClick={addValue}>+ Value equals</Action>}
      {comparator ? (
        <Action
          onClick={() =>
            set({ bounds: [...bounds, { comparator, text: '' }] }, { focus: boundFieldOf(leaf, comparator) })
          }
        >
          + Number
        </Action>
      ) : null}
    </>
  )
}
