import { COMPARATORS, type Comparator, wordsOf } from '../../../src/core/contracts/comparators.ts'
import { Select } from '../components/select.tsx'
import { BuilderCell } from './builder-cell.tsx'
import { type EditMade, type LeafPartProps, useBuilder } from './builder-context.ts'
import type { LeafNode } from './builder-node.ts'
import { RemoveButton } from './match-editor.tsx'

/** Sorted by label, so that "at least" and "at most" come first. */
const OFFERED = COMPARATORS.toSorted((one, other) => (wordsOf(one) < wordsOf(other) ? -1 : 1))

export const freeComparators = ({ bounds }: LeafNode): Comparator[] =>
  OFFERED.filter((name) => !bounds.some(({ comparator }) => comparator === name))

export const boundFieldOf = (leaf: LeafNode, comparator: Comparator): string => `${leaf.id} ${comparator}`

/** Edits the bounds of a number of the event, or of an aggregate. */
export function RangeEditor({ leaf, set }: LeafPartProps) {
  const { issueAt } = useBuilder()
  const { bounds, field, aggregate } = leaf
  const isAggregate = aggregate !== ''
  if (bounds.length === 0 && field === '' && !isAggregate) return null
  const setBounds = (changed: LeafNode['bounds'], made?: EditMade) =>
    set(changed.length > 0 || isAggregate ? { bounds: changed } : { bounds: [], field: '' }, made)
  const remove = (i: number) => {
    const others = bounds.toSpliced(i, 1)
    const next = others[i] ?? others[i - 1]
    setBounds(others, { focus: next ? boundFieldOf(leaf, next.comparator) : leaf.id })
  }
  return (
    <>
      {aggregate === 'count' && field === '' ? null : (
        <div className="flex items-start gap-1.5">
          <span className="w-20 shrink-0 pt-2.5 text-xs text-muted">
            {isAggregate ? 'of the field' : 'number in'}
          </span>
          <BuilderCell
            className="flex-1"
            aria-label={isAggregate ? 'Field of the aggregate' : 'Number in the field'}
            placeholder="value"
            title="A field of the event, or a path joined by dots. Empty means value."
            field={`${leaf.id} field`}
            value={field}
            error={issueAt(leaf.id, '.field')}
            onChange={(text, made) => set({ field: text }, made)}
          />
          <span className="w-9 shrink-0" />
        </div>
      )}
      {bounds.map((bound, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a key by comparator would lose the focus when the comparator changes
        <div key={i} className="flex items-start gap-1.5">
          <Select
            aria-label="Comparison"
            className="w-2/5"
            value={bound.comparator}
            onChange={({ target }) =>
              setBounds(bounds.with(i, { ...bound, comparator: target.value as Comparator }))
            }
          >
            {COMPARATORS.filter(
              (name) => name === bound.comparator || freeComparators(leaf).includes(name),
            ).map((name) => (
              <option key={name} value={name}>
                {wordsOf(name)}
              </option>
            ))}
          </Select>
          <BuilderCell
            className="flex-1"
            aria-label={wordsOf(bound.comparator)}
            inputMode="decimal"
            placeholder="number"
            field={boundFieldOf(leaf, bound.comparator)}
            value={bound.text}
            error={issueAt(leaf.id, `.${bound.comparator}`)}
            onChange={(text, made) => setBounds(bounds.with(i, { ...bound, text }), made)}
          />
          <RemoveButton label={`Remove ${wordsOf(bound.comparator)}`} onClick={() => remove(i)} />
        </div>
      ))}
    </>
  )
}
