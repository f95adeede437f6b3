import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { MAX_NAME_LENGTH } from '../../../src/core/limits.ts'
import { ApiError, errorsByPath } from '../api/client.ts'
import { Dialog, SubmitActions } from '../components/dialog.tsx'
import { Field } from '../components/field.tsx'
import { Form } from '../components/form.tsx'
import { FormError } from '../components/form-error.tsx'
import { Input } from '../components/input.tsx'
import { useToast } from '../components/toast.tsx'
import { NewMetadata } from '../metadata/metadata-editor.tsx'
import { metadataIn, rowsOf } from '../metadata/metadata-rows.ts'
import { createCustomer } from './customers-api.ts'

interface CreateCustomerDialogProps {
  open: boolean
  onOpenChange: (open: boolean) => void
}

export function CreateCustomerDialog({ open, onOpenChange }: CreateCustomerDialogProps) {
  return (
    <Dialog open={open} onOpenChange={onOpenChange} title="Create a customer">
      <CreateCustomerForm onClose={() => onOpenChange(false)} />
    </Dialog>
  )
}

function CreateCustomerForm({ onClose }: { onClose: () => void }) {
  const [externalId, setExternalId] = useState('')
  const [name, setName] = useState('')
  const [rows, setRows] = useState(() => rowsOf({}))
  const [isChecked, setChecked] = useState(false)
  const queryClient = useQueryClient()
  const toast = useToast()
  const creation = useMutation({
    mutationFn: createCustomer,
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: ['customers'] })
      toast('Customer created')
    },
  })
  const { error } = creation
  const isTaken = error instanceof ApiError && error.code === 'CUSTOMER_EXTERNAL_ID_CONFLICT'
  const errors = errorsByPath(error)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setChecked(true)
    const metadata = metadataIn(rows)
    // mutate's own onSuccess is not called after the form is closed.
    const done = { onSuccess: onClose }
    if (metadata) creation.mutate({ external_id: externalId, ...(name ? { name } : {}), metadata }, done)
  }
  return (
    <Form onSubmit={submit} className="grid gap-4">
      <Field
        label="External id"
        hint="Your own name for the customer. It cannot be changed later."
        error={isTaken ? 'A customer with this external id already exists' : errors.external_id}
      >
        {(props) => (
          <Input
            {...props}
            required
            maxLength={MAX_NAME_LENGTH}
            placeholder="acme"
            value={externalId}
            onChange={({ target }) => setExternalId(target.value)}
          />
        )}
      </Field>
      <Field label="Name (optional)" error={errors.name}>
        {(props) => (
          <Input
            {...props}
            maxLength={MAX_NAME_LENGTH}
            placeholder="ACME Inc."
            value={name}
            onChange={({ target }) => setName(target.value)}
          />
        )}
      </Field>
      <NewMetadata rows={rows} onChange={setRows} isChecked={isChecked} />
      {isTaken ? null : <FormError error={error} shownPaths={['external_id', 'name']} />}
      <SubmitActions action="Create" pending={creation.isPending} />
    </Form>
  )
}
