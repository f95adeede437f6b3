import { X } from 'lucide-react'
import { Button } from '../components/ui/button.tsx'
import { BuilderCell } from './builder-cell.tsx'
import { useBuilder } from './builder-context.ts'
import type { LeafPartProps, MatchField } from './builder-node.ts'
import { kindOfValue, readValue } from './value-text.ts'

/** What must be in the event: a field each with its value, or the event's `value`. */
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
          value={match.text}
          note={kindOfValue(readValue(match.text))}
          error={issueAt(leaf.id, '.match')}
          onChange={(text) => set({ match: { by: 'value', text } })}
        />
        <RemoveButton label="Remove the value" onClick={() => set({ match: null })} />
      </div>
    )
  }
  const { fields } = match
  const setFields = (changed: MatchField[]) =>
    set({ match: changed.length > 0 ? { by: 'fields', fields: changed } : null })
  if (fields.length === 0) {
    return (
      <div className="flex items-center gap-1.5">
        <span className="flex-1 text-xs text-muted">Matches any fields.</span>
        <RemoveButton label="Remove the match" onClick={() => set({ match: null })} />
      </div>
    )
  }
  return fields.map((field, i) => (
    <FieldRow
      key={field.id}
      field={field}
      isTwice={fields.some((other, n) => n !== i && other.key === field.key)}
      onChange={(changed) => setFields(fields.with(i, changed))}
      onRemove={() => setFields(fields.toSpliced(i, 1))}
    />
  ))
}

interface FieldRowProps {
  field: MatchField
  isTwice: boolean
  onChange: (field: MatchField) => void
  onRemove: () => void
}

function FieldRow({ field, isTwice, onChange, onRemove }: FieldRowProps) {
  return (
    <div className="flex items-start gap-1.5">
      <BuilderCell
        className="w-2/5"
        aria-label="Field"
        placeholder="field"
        value={field.key}
        error={field.key === '' ? 'needs a name' : isTwice ? 'is there twice' : undefined}
        onChange={(key) => onChange({ ...field, key })}
      />
      <span className="pt-2 text-muted">=</span>
      <BuilderCell
        className="flex-1"
        aria-label={`Value of ${field.key || 'the field'}`}
        placeholder="value"
        value={field.text}
        note={kindOfValue(readValue(field.text))}
        onChange={(text) => onChange({ ...field, text })}
      />
      <RemoveButton label={`Remove field ${field.key}`} onClick={onRemove} />
    </div>
  )
}

export const RemoveButton = ({ label, onClick }: { label: string; onClick: () => void }) => (
  <Button variant="ghost" size="icon" aria-label={label} onClick={onClick}>
    <X aria-hidden />
  </Button>
)
