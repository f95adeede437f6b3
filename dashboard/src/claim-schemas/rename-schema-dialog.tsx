import { useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { errorsByPath, type Tagged } from '../api/client.ts'
import type { ClaimSchema } from '../api/records.ts'
import { ConflictDialog } from '../components/conflict-dialog.tsx'
import { Dialog, SubmitActions } from '../components/dialog.tsx'
import { Form } from '../components/form.tsx'
import { FormError } from '../components/form-error.tsx'
import { useToast } from '../components/toast.tsx'
import { useGuardedSave } from '../components/use-guarded-save.ts'
import { fromNamesDraft, SchemaNamesFields, toNamesDraft } from './schema-names-fields.tsx'
import { NAMES_TEXTS } from './schema-texts.ts'
import { readSchema, type SchemaNames, updateSchema } from './schemas-api.ts'

interface RenameSchemaDialogProps {
  schema: Tagged<ClaimSchema>
  open: boolean
  onOpenChange: (open: boolean) => void
}

export const RenameSchemaDialog = ({ schema, open, onOpenChange }: RenameSchemaDialogProps) => (
  <Dialog
    open={open}
    onOpenChange={onOpenChange}
    title="Name the schema"
    description="The contract does not change."
  >
    <RenameForm schema={schema} onClose={() => onOpenChange(false)} />
  </Dialog>
)

function RenameForm({ schema, onClose }: { schema: Tagged<ClaimSchema>; onClose: () => void }) {
  // The record when the form was opened. The page may refetch it.
  const [base] = useState(schema)
  const [draft, setDraft] = useState(() => toNamesDraft(base))
  const queryClient = useQueryClient()
  const toast = useToast()
  const renaming = useGuardedSave<SchemaNames, ClaimSchema>({
    read: () => readSchema(base.id),
    save: (names, over) => updateSchema(over ?? base, names),
    valuesOf: ({ name, description }) => ({ name, description }),
    onStored: async (stored, by) => {
      queryClient.setQueryData(['schemas', 'one', base.id], stored)
      await queryClient.invalidateQueries({ queryKey: ['schemas', 'list'] })
      if (by === 'me') toast('Name saved')
      onClose()
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    renaming.save(fromNamesDraft(draft), base)
  }
  return (
    <>
      <Form onSubmit={submit} className="grid gap-4">
        <SchemaNamesFields draft={draft} onChange={setDraft} errors={errorsByPath(renaming.error)} />
        <FormError error={renaming.error} shownPaths={['name', 'description']} />
        <SubmitActions action="Save" pending={renaming.isPending} />
      </Form>
      <ConflictDialog kind="schema" saving={renaming} texts={NAMES_TEXTS} />
    </>
  )
}
