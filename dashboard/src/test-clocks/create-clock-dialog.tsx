import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { MAX_NAME_LENGTH } from '../../../src/core/limits.ts'
import { errorsByPath } from '../api/client.ts'
import type { TestClock } from '../api/records.ts'
import { serverNow } from '../api/server-time.ts'
import { Dialog, SubmitActions } from '../components/dialog.tsx'
import { Field } from '../components/field.tsx'
import { Form } from '../components/form.tsx'
import { FormError } from '../components/form-error.tsx'
import { Input } from '../components/input.tsx'
import { useToast } from '../components/toast.tsx'
import { useLocalTime } from '../components/use-local-time.ts'
import { createTestClock } from './test-clocks-api.ts'

interface CreateClockDialogProps {
  open: boolean
  onOpenChange: (open: boolean) => void
}

export function CreateClockDialog({ open, onOpenChange }: CreateClockDialogProps) {
  return (
    <Dialog open={open} onOpenChange={onOpenChange} title="Create a test clock">
      <CreateClockForm />
    </Dialog>
  )
}

function CreateClockForm() {
  const [name, setName] = useState('')
  const { timeZone, toField, fromField } = useLocalTime()
  const [begin, setBegin] = useState(() => toField(new Date(serverNow()).toISOString()))
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  const toast = useToast()
  const creation = useMutation({
    mutationFn: createTestClock,
    onSuccess: () => {
      void queryClient.invalidateQueries({ queryKey: ['test-clocks'] })
      toast('Test clock created')
    },
  })
  // mutate's own onSuccess is not called after the form is closed.
  const onSuccess = ({ id }: TestClock) => void navigate({ to: '/test-clocks/$id', params: { id } })
  const errors = errorsByPath(creation.error)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const frozen_time = fromField(begin)
    if (frozen_time) creation.mutate({ frozen_time, ...(name ? { name } : {}) }, { onSuccess })
  }
  return (
    <Form onSubmit={submit} className="grid gap-4">
      <Field label="Name (optional)" error={errors.name}>
        {(props) => (
          <Input
            {...props}
            maxLength={MAX_NAME_LENGTH}
            placeholder="A month of deliveries"
            value={name}
            onChange={({ target }) => setName(target.value)}
          />
        )}
      </Field>
      <Field
        label="Start time"
        hint={`In ${timeZone}. The clock can be advanced but not set back.`}
        error={errors.frozen_time}
      >
        {(props) => (
          <Input
            {...props}
            type="datetime-local"
            required
            value={begin}
            onChange={({ target }) => setBegin(target.value)}
          />
        )}
      </Field>
      <FormError error={creation.error} shownPaths={['name', 'frozen_time']} />
      <SubmitActions action="Create" pending={creation.isPending} />
    </Form>
  )
}
