import { MAX_NAME_LENGTH } from '../../../src/core/limits.ts'
import { Field } from '../components/field.tsx'
import { Input } from '../components/input.tsx'
import { Textarea } from '../components/textarea.tsx'
import type { SchemaNames } from './schemas-api.ts'

/** Name and description while they are edited. Empty for none. */
export interface NamesDraft {
  name: string
  description: string
}

export const toNamesDraft = ({ name, description }: SchemaNames): NamesDraft => ({
  name: name ?? '',
  description: description ?? '',
})

export const fromNamesDraft = ({ name, description }: NamesDraft): SchemaNames => ({
  name: name.trim() || null,
  description: description.trim() || null,
})

interface SchemaNamesFieldsProps {
  draft: NamesDraft
  onChange: (draft: NamesDraft) => void
  /** Errors by path. */
  errors: Record<string, string>
}

export function SchemaNamesFields({ draft, onChange, errors }: SchemaNamesFieldsProps) {
  return (
    <>
      <Field label="Name" hint="Optional." error={errors.name}>
        {(props) => (
          <Input
            {...props}
            maxLength={MAX_NAME_LENGTH}
            value={draft.name}
            onChange={({ target }) => onChange({ ...draft, name: target.value })}
          />
        )}
      </Field>
      <Field
        label="Description"
        hint="Optional. What others should know about the schema."
        error={errors.description}
      >
        {(props) => (
          <Textarea
            {...props}
            rows={3}
            maxLength={2_000}
            value={draft.description}
            onChange={({ target }) => onChange({ ...draft, description: target.value })}
          />
        )}
      </Field>
    </>
  )
}
