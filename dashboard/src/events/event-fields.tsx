import { useId } from 'react'
import { MAX_NAME_LENGTH } from '../../../src/core/limits.ts'
import { Field } from '../components/field.tsx'
import { Input } from '../components/input.tsx'
import { Textarea } from '../components/textarea.tsx'
import { asSentence } from '../format/as-sentence.ts'
import { problemOfValue, readValue } from '../format/value-text.ts'
import { type EventDraft, problemOfFields } from './event-draft.ts'

interface EventFieldsProps {
  draft: EventDraft
  onChange: (draft: EventDraft) => void
  /** Suggested event types. */
  types: readonly string[]
  /** Errors by field: `type`, `id`, `value`, `fields`. */
  errors: Record<string, string | undefined>
  fieldsHint: string
  /** Shows a field for the id. */
  needsId?: boolean
}

/** The fields of an event: type, value, and further fields as JSON. */
export function EventFields({ draft, onChange, types, errors, fieldsHint, needsId }: EventFieldsProps) {
  const listId = useId()
  const { type, id, value, fields } = draft
  const problem = problemOfValue(value)
  return (
    <>
      <div className="grid grid-cols-2 gap-3">
        <Field label="Type" error={errors.type}>
          {(props) => (
            <Input
              {...props}
              required
              maxLength={MAX_NAME_LENGTH}
              list={listId}
              value={type}
              onChange={(event) => onChange({ ...draft, type: event.target.value })}
            />
          )}
        </Field>
        <Field
          label="Value"
          hint={problem ? undefined : hintOf(value)}
          error={asSentence(problem) ?? errors.value}
        >
          {(props) => (
            <Input
              {...props}
              placeholder="none"
              value={value}
              onChange={(event) => onChange({ ...draft, value: event.target.value })}
            />
          )}
        </Field>
      </div>
      <TypeSuggestions
        id={listId}
        types={types}
        onChoose={(chosen) => onChange({ ...draft, type: chosen })}
      />
      {needsId ? (
        <Field
          label="Id"
          hint="This contract needs an id. An event with the id of a recorded one is not recorded again."
          error={errors.id}
        >
          {(props) => (
            <Input
              {...props}
              required
              maxLength={MAX_NAME_LENGTH}
              spellCheck={false}
              className="font-mono text-xs"
              value={id}
              onChange={(event) => onChange({ ...draft, id: event.target.value })}
            />
          )}
        </Field>
      ) : null}
      <details open={errors.fields ? true : undefined}>
        <summary className="w-fit text-[0.8125rem] text-muted">More fields</summary>
        <Field
          label="Fields as JSON"
          className="mt-2"
          hint={fieldsHint}
          error={problemOfFields(fields) ?? errors.fields}
        >
          {(props) => (
            <Textarea
              {...props}
              rows={3}
              spellCheck={false}
              className="font-mono text-xs"
              placeholder='{"id": "scan-4711", "place": "gate 3"}'
              value={fields}
              onChange={(event) => onChange({ ...draft, fields: event.target.value })}
            />
          )}
        </Field>
      </details>
    </>
  )
}

interface TypeSuggestionsProps {
  id: string
  types: readonly string[]
  onChoose: (type: string) => void
}

/** Buttons for the types that conditions ask for. */
function TypeSuggestions({ id, types, onChoose }: TypeSuggestionsProps) {
  return (
    <div className="flex flex-wrap gap-1.5">
      {types.slice(0, 6).map((type) => (
        <button
          key={type}
          type="button"
          onClick={() => onChoose(type)}
          className="max-w-full truncate rounded-md bg-accent-soft px-2 py-1 text-xs font-medium text-accent"
        >
          <bdi>{type}</bdi>
        </button>
      ))}
      <datalist id={id}>
        {types.map((type) => (
          <option key={type} value={type} />
        ))}
      </datalist>
    </div>
  )
}

function hintOf(text: string): string {
  if (text === '') return 'A number or text'
  const value = readValue(text)
  return value === null || typeof value === 'object' ? 'sent as JSON' : `sent as a ${typeof value}`
}
