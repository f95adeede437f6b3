import { useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { MAX_NAME_LENGTH } from '../../../src/core/limits.ts'
import { errorsByPath, type Tagged } from '../api/client.ts'
import type { Customer } from '../api/records.ts'
import { ConflictDialog } from '../components/conflict-dialog.tsx'
import { Dialog, SubmitActions } from '../components/dialog.tsx'
import { Field } from '../components/field.tsx'
import { Form } from '../components/form.tsx'
import { FormError } from '../components/form-error.tsx'
import { Input } from '../components/input.tsx'
import { useToast } from '../components/toast.tsx'
import { useGuardedSave } from '../components/use-guarded-save.ts'
import { readCustomer, renameCustomer } from './customers-api.ts'

interface RenameCustomerDialogProps {
  customer: Tagged<Customer>
  open: boolean
  onOpenChange: (open: boolean) => void
}

export function RenameCustomerDialog({ customer, open, onOpenChange }: RenameCustomerDialogProps) {
  return (
    <Dialog
      open={open}
      onOpenChange={onOpenChange}
      title="Rename the customer"
      description={
        <>
          The external id <bdi>{customer.external_id}</bdi> does not change.
        </>
      }
    >
      <RenameForm customer={customer} onClose={() => onOpenChange(false)} />
    </Dialog>
  )
}

function RenameForm({ customer, onClose }: { customer: Tagged<Customer>; onClose: () => void }) {
  // The record when the form was opened. The page may refetch it.
  const [base] = useState(customer)
  const [name, setName] = useState(customer.name ?? '')
  const queryClient = useQueryClient()
  const toast = useToast()
  const renaming = useGuardedSave<string | null, Customer>({
    read: () => readCustomer(base.id),
    save: (name, over) => renameCustomer(over ?? base, name),
    valuesOf: ({ name }) => name,
    onStored: async (stored, by) => {
      queryClient.setQueryData(['customers', 'one', base.id], stored)
      await queryClient.invalidateQueries({ queryKey: ['customers'] })
      if (by === 'me') toast('Customer renamed')
      onClose()
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    renaming.save(name.trim() || null, base)
  }
  return (
    <>
      <Form onSubmit={submit} className="grid gap-4">
        <Field label="Name" hint="Optional." error={errorsByPath(renaming.error).name}>
          {(props) => (
            <Input
              {...props}
              maxLength={MAX_NAME_LENGTH}
              value={name}
              onChange={({ target }) => setName(target.value)}
            />
          )}
        </Field>
        <FormError error={renaming.error} shownPaths={['name']} />
        <SubmitActions action="Rename" pending={renaming.isPending} />
      </Form>
      <ConflictDialog kind="customer" saving={renaming} texts={{ Name: (name) => name ?? '(none)' }} />
    </>
  )
}
