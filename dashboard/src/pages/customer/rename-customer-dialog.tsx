import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { errorsByPath } from '../../api/client.ts'
import { renameCustomer } from '../../api/customers.ts'
import type { Customer } from '../../api/records.ts'
import { Button } from '../../components/ui/button.tsx'
import { Dialog, DialogActions } from '../../components/ui/dialog.tsx'
import { Field } from '../../components/ui/field.tsx'
import { FormError } from '../../components/ui/form-error.tsx'
import { Input } from '../../components/ui/input.tsx'
import { useToast } from '../../components/ui/toast.tsx'

interface RenameCustomerDialogProps {
  customer: Customer
  open: boolean
  onOpenChange: (open: boolean) => void
}

export function RenameCustomerDialog({ customer, open, onOpenChange }: RenameCustomerDialogProps) {
  return (
    <Dialog
      open={open}
      onOpenChange={onOpenChange}
      title="Rename the customer"
      description={`Its external id stays ${customer.external_id}.`}
    >
      <RenameForm customer={customer} onClose={() => onOpenChange(false)} />
    </Dialog>
  )
}

function RenameForm({ customer, onClose }: { customer: Customer; onClose: () => void }) {
  const [name, setName] = useState(customer.name ?? '')
  const queryClient = useQueryClient()
  const toast = useToast()
  const renaming = useMutation({
    mutationFn: () => renameCustomer(customer.id, name.trim() || null),
    onSuccess: async (renamed) => {
      queryClient.setQueryData(['customers', 'one', customer.id], renamed)
      await queryClient.invalidateQueries({ queryKey: ['customers'] })
      toast('Customer renamed')
      onClose()
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    renaming.mutate()
  }
  return (
    <form onSubmit={submit} className="grid gap-4">
      <Field label="Name" hint="Empty for none." error={errorsByPath(renaming.error).name}>
        {(props) => (
          <Input
            {...props}
            autoFocus
            maxLength={255}
            value={name}
            onChange={({ target }) => setName(target.value)}
          />
        )}
      </Field>
      <FormError error={renaming.error} shownPaths={['name']} />
      <DialogActions>
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" variant="primary" pending={renaming.isPending}>
          Rename
        </Button>
      </DialogActions>
    </form>
  )
}
