import { X } from 'lucide-react'
import { Button } from '../components/button.tsx'
import { kindOfValue, problemOfValue, readValue } from '../format/value-text.ts'
import { BuilderCell } from './builder-cell.tsx'
import { type EditMade, type LeafPartProps, useBuilder } from './builder-context.ts'
import type { LeafNode, MatchField } from './builder-node.ts'

/** Edits the match of a leaf: fields with values, or the event's `value`. */
export function MatchEditor({ leaf, set }: LeafPartProps) {
  const { issueAt } = useBuilder()
  const { match } = leaf
  if (!match) return null
  if (match.by === 'value') {
    return (
      <div className="flex items-start gap-1.5">
        <span className="w-20 shrink-0 pt-2.5 text-xs text-muted">value equals</span>
        <BuilderCell
          className="flex-1"
          aria-label="Value"
          field={valueFieldOf(leaf)}
          value={match.text}
          note={noteOf(match.text)}
          error={issueAt(leaf.id, '.match')}
          onChange={(text, made) => set({ match: { by: 'value', text } }, made)}
        />
        <RemoveButton label="Remove the value" onClick={() => set({ match: null }, { focus: leaf.id })} />
      </div>
    )
  }
  const { fields } = match
  const setFields = (changed: MatchField[], made: EditMade) =>
    set({ match: changed.length > 0 ? { by: 'fields', fields: changed } : null }, made)
  const remove = (i: number) => {
    const others = fields.toSpliced(i, 1)
    setFields(others, { focus: (others[i] ?? others[i - 1] ?? leaf).id })
  }
  if (fields.length === 0) {
    return (
      <div className="flex items-center gap-1.5">
        <span className="flex-1 text-xs text-muted">No fields: every event matches.</span>
        <RemoveButton label="Remove the match" onClick={() => set({ match: null }, { focus: leaf.id })} />
      </div>
    )
  }
  return fields.map((field, i) => (
    <FieldRow
      key={field.id}
      field={field}
      isTwice={fields.some((other, n) => n !== i && other.key === field.key)}
      onChange={(changed, made) => setFields(fields.with(i, changed), made)}
      onRemove={() => remove(i)}
    />
  ))
}

interface FieldRowProps {
  field: MatchField
  isTwice: boolean
  onChange: (field: MatchField, made: EditMade) => void
  onRemove: () => void
}

function FieldRow({ field, isTwice, onChange, onRemove }: FieldRowProps) {
  return (
    <div className="flex items-start gap-1.5">
      <BuilderCell
        className="w-2/5"
        aria-label="Field"
        placeholder="field"
        field={field.id}
        value={field.key}
        error={field.key === '' ? 'needs a name' : isTwice ? 'is used twice' : undefined}
        onChange={(key, made) => onChange({ ...field, key }, made)}
      />
      <span className="pt-2 text-muted">=</span>
      <BuilderCell
        className="flex-1"
        aria-label={`Value of ${field.key || 'the field'}`}
        placeholder="value"
        field={`${field.id} value`}
        value={field.text}
        note={noteOf(field.text)}
        error={problemOfValue(field.text)}
        onChange={(text, made) => onChange({ ...field, text }, made)}
      />
      <RemoveButton label={`Remove field ${field.key}`} onClick={onRemove} />
    </div>
  )
}

export const valueFieldOf = (leaf: LeafNode): string => `${leaf.id} value`

const noteOf = (text: string): string | undefined =>
  problemOfValue(text) ? undefined : kindOfValue(readValue(text))

export const RemoveButton = ({ label, onClick }: { label: string; onClick: () => void }) => (
  <Button variant="ghost" size="icon" aria-label={label} onClick={onClick}>
    <X aria-hidden />
  </Button>
)
