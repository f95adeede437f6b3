import { type FormEvent, useState } from 'react'
import { Dialog, SubmitActions } from '../components/dialog.tsx'
import { Field } from '../components/field.tsx'
import { Form } from '../components/form.tsx'
import { FormError } from '../components/form-error.tsx'
import { Input } from '../components/input.tsx'
import { NOT_KEPT, STORED_IN_BROWSER } from '../components/use-browser-storage.ts'
import { LONGEST_NAME } from './saved-filters.ts'

interface SaveFiltersFormProps {
  /** The name to change. Null when new filters are saved. */
  renamed: string | null
  /** Existing names. */
  taken: readonly string[]
  /** @returns whether the browser stored it */
  onSave: (name: string) => boolean
  onClose: () => void
}

/** Asks for the name of saved filters. */
export function SaveFiltersDialog({ open, ...form }: SaveFiltersFormProps & { open: boolean }) {
  return (
    <Dialog
      open={open}
      onOpenChange={form.onClose}
      title={form.renamed === null ? 'Save these filters' : 'Rename saved filters'}
      description={`${STORED_IN_BROWSER} To share the filters, share the address of the list.`}
    >
      <SaveFiltersForm {...form} />
    </Dialog>
  )
}

function SaveFiltersForm({ renamed, taken, onSave, onClose }: SaveFiltersFormProps) {
  const [text, setText] = useState(renamed ?? '')
  const [isKept, setKept] = useState(true)
  const name = text.trim()
  const isTaken = name !== renamed && taken.includes(name)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (name === '') return
    const done = onSave(name)
    setKept(done)
    if (done) onClose()
  }
  return (
    <Form onSubmit={submit} className="grid gap-4">
      <Field label="Name" hint={isTaken ? 'Filters with this name exist. They will be replaced.' : undefined}>
        {(props) => (
          <Input
            {...props}
            required
            pattern=".*\S.*"
            maxLength={LONGEST_NAME}
            placeholder="Due this week"
            value={text}
            onChange={({ target }) => setText(target.value)}
          />
        )}
      </Field>
      <FormError error={isKept ? null : new Error(NOT_KEPT)} />
      <SubmitActions action={isTaken ? 'Replace' : renamed === null ? 'Save' : 'Rename'} pending={false} />
    </Form>
  )
}
