import { isReservedType } from '../../../src/domain/claims/event.ts'
import { Button } from '../components/ui/button.tsx'
import { BuilderCell } from './builder-cell.tsx'
import { useBuilder } from './builder-context.ts'
import { type LeafNode, type LeafPartProps, newId } from './builder-node.ts'
import { replaceNode } from './edit-node.ts'
import { MatchEditor } from './match-editor.tsx'
import { NodeMenu } from './node-menu.tsx'
import { freeComparators, RangeEditor } from './range-editor.tsx'

/** A leaf: an event of a type, what must be in it, and between what a number of it must be. */
export function LeafEditor({ leaf }: { leaf: LeafNode }) {
  const { root, change, issueAt } = useBuilder()
  const set = (changed: Partial<LeafNode>) => change(replaceNode(root, { ...leaf, ...changed }))
  return (
    <fieldset className="grid gap-2 rounded-xl border bg-canvas p-2 sm:p-2.5">
      <legend className="sr-only">Event {leaf.event}</legend>
      <div className="flex items-start gap-1">
        <BuilderCell
          className="flex-1"
          aria-label="Event type"
          placeholder="Event type, such as delivered"
          data-focus={leaf.id}
          value={leaf.event}
          error={issueAt(leaf.id, '.event')}
          onChange={(event) => set({ event })}
        />
        <NodeMenu node={leaf} />
      </div>
      {isReservedType(leaf.event) ? (
        <p className="text-xs text-muted">The service’s own: no event that is submitted satisfies it.</p>
      ) : null}
      <MatchEditor leaf={leaf} set={set} />
      <RangeEditor leaf={leaf} set={set} />
      <AddDemands leaf={leaf} set={set} />
    </fieldset>
  )
}

function AddDemands({ leaf, set }: LeafPartProps) {
  const { match, bounds } = leaf
  const [comparator] = freeComparators(leaf)
  const fields = match?.by === 'fields' ? match.fields : []
  const addField = () =>
    set({ match: { by: 'fields', fields: [...fields, { id: newId(), key: '', text: '' }] } })
  return (
    <div className="-my-0.5 flex flex-wrap gap-x-1">
      {match?.by === 'value' ? null : (
        <Button size="sm" variant="ghost" onClick={addField}>
          + Field equals
        </Button>
      )}
      {match ? null : (
        <Button size="sm" variant="ghost" onClick={() => set({ match: { by: 'value', text: '' } })}>
          + Value equals
        </Button>
      )}
      {comparator ? (
        <Button
          size="sm"
          variant="ghost"
          onClick={() => set({ bounds: [...bounds, { comparator, text: '' }] })}
        >
          + Number
        </Button>
      ) : null}
    </div>
  )
}
