import { Plus } from 'lucide-react'
import { useId } from 'react'
import { isReservedType } from '../../../src/core/claims/event.ts'
import { AGGREGATES } from '../../../src/core/contracts/condition.ts'
import { Button } from '../components/button.tsx'
import { Select } from '../components/select.tsx'
import { asSentence } from '../format/as-sentence.ts'
import { BuilderCell } from './builder-cell.tsx'
import { type LeafPartProps, useBuilder } from './builder-context.ts'
import { type LeafNode, newId } from './builder-node.ts'
import { replaceNode } from './edit-node.ts'
import { MatchEditor } from './match-editor.tsx'
import { NodeMenu } from './node-menu.tsx'
import { boundFieldOf, freeComparators, RangeEditor } from './range-editor.tsx'

/** Edits a leaf: event type, aggregate, matching fields and bounds. */
export function LeafEditor({ leaf }: { leaf: LeafNode }) {
  const { root, kind, change, issueAt, typesId } = useBuilder()
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
        <span className="flex min-w-0 flex-1 flex-wrap items-start gap-1.5">
          {kind === 'trigger' && leaf.aggregate === '' ? null : <AggregateChoice leaf={leaf} set={set} />}
          <BuilderCell
            className="min-w-32 flex-1"
            aria-label="Event type"
            placeholder="For example delivered"
            field={leaf.id}
            list={typesId}
            value={leaf.event}
            error={issueAt(leaf.id, '.event')}
            onChange={(event, made) => set({ event }, made)}
          />
        </span>
        <NodeMenu node={leaf} />
      </div>
      {isReservedType(leaf.event) && leaf.aggregate === '' ? (
        <p className="text-xs text-muted">
          This type is reserved for the service. No submitted event can satisfy it.
        </p>
      ) : null}
      <MatchEditor leaf={leaf} set={set} />
      <RangeEditor leaf={leaf} set={set} />
      {leaf.match?.by === 'value' ? null : <FieldEquals leaf={leaf} set={set} />}
      {problem ? (
        <p id={problemId} className="text-xs font-medium text-failed">
          {asSentence(problem)}
        </p>
      ) : null}
    </fieldset>
  )
}

const AGGREGATE_NAMES = {
  count: 'Number of events',
  sum: 'Sum of a field',
  distinct: 'Different values of a field',
} as const

/** Whether the leaf asks for one event or compares an aggregate over all of them. */
function AggregateChoice({ leaf, set }: LeafPartProps) {
  const { issueAt, isChecked } = useBuilder()
  const id = useId()
  const { aggregate, bounds } = leaf
  const problem = isChecked || !isKnown(aggregate) ? issueAt(leaf.id, '.aggregate') : undefined
  const choose = (chosen: string) => {
    const [comparator = 'gte'] = freeComparators(leaf)
    // An aggregate is compared at least once.
    const missing = chosen !== '' && bounds.length === 0 ? [{ comparator, text: '' }] : []
    const changed = { aggregate: chosen, bounds: [...bounds, ...missing] }
    // A count reads no field.
    set(chosen === 'count' ? { ...changed, field: '' } : changed, {
      focus: missing.length > 0 ? boundFieldOf(leaf, comparator) : aggregateFieldOf(leaf),
    })
  }
  return (
    <span className="grid gap-1 max-sm:w-full">
      <Select
        aria-label="What is looked at"
        className="sm:w-52"
        data-focus={aggregateFieldOf(leaf)}
        aria-invalid={problem ? true : undefined}
        aria-describedby={problem ? id : undefined}
        value={aggregate}
        onChange={({ target }) => choose(target.value)}
      >
        <option value="">An event</option>
        {AGGREGATES.map((name) => (
          <option key={name} value={name}>
            {AGGREGATE_NAMES[name]}
          </option>
        ))}
        {isKnown(aggregate) ? null : <option>{aggregate}</option>}
      </Select>
      {problem ? (
        <span id={id} className="text-xs font-medium text-failed">
          {asSentence(problem)}
        </span>
      ) : null}
    </span>
  )
}

const aggregateFieldOf = (leaf: LeafNode): string => `${leaf.id} aggregate`

const isKnown = (aggregate: string): boolean => aggregate === '' || Object.hasOwn(AGGREGATE_NAMES, aggregate)

/** The common edit of a leaf. The others are in its menu. */
function FieldEquals({ leaf: { match }, set }: LeafPartProps) {
  const add = () => {
    const field = { id: newId(), key: '', text: '' }
    const fields = match?.by === 'fields' ? match.fields : []
    set({ match: { by: 'fields', fields: [...fields, field] } }, { focus: field.id })
  }
  return (
    <Button size="sm" variant="ghost" className="-my-0.5 justify-self-start px-1.5" onClick={add}>
      <Plus aria-hidden /> Field equals
    </Button>
  )
}
