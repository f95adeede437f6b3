import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import type { DeliveryStatus } from '../../../src/core/webhooks.ts'
import { DAY_MS, MINUTE_MS } from '../../../src/kernel/durations.ts'
import { errorsByPath } from '../api/client.ts'
import { serverNow } from '../api/server-time.ts'
import { Dialog, SubmitActions } from '../components/dialog.tsx'
import { Field } from '../components/field.tsx'
import { Form } from '../components/form.tsx'
import { FormError } from '../components/form-error.tsx'
import { Input } from '../components/input.tsx'
import { Select } from '../components/select.tsx'
import { useToast } from '../components/toast.tsx'
import { useLocalTime } from '../components/use-local-time.ts'
import { redeliverRange } from './webhooks-api.ts'

interface RedeliverRangeDialogProps {
  endpointId: string
  open: boolean
  onClose: () => void
}

export const RedeliverRangeDialog = ({ endpointId, open, onClose }: RedeliverRangeDialogProps) => (
  <Dialog
    open={open}
    onOpenChange={onClose}
    title="Send deliveries again"
    description={`Each delivery keeps its number and body. Times are in ${useLocalTime().timeZone}.`}
  >
    <RangeForm endpointId={endpointId} onClose={onClose} />
  </Dialog>
)

const CHOICES = [
  ['failed', 'Failed'],
  ['', 'All'],
  ['succeeded', 'Succeeded'],
  ['waiting', 'Waiting'],
] as const

function RangeForm({ endpointId, onClose }: { endpointId: string; onClose: () => void }) {
  const { toField, fromField } = useLocalTime()
  const fieldAt = (ms: number) => toField(new Date(ms).toISOString())
  const [from, setFrom] = useState(() => fieldAt(serverNow() - DAY_MS))
  // Includes the current minute.
  const [to, setTo] = useState(() => fieldAt(serverNow() + MINUTE_MS))
  const [status, setStatus] = useState<DeliveryStatus | ''>('failed')
  const queryClient = useQueryClient()
  const toast = useToast()
  const redelivery = useMutation({
    mutationFn: (range: { from: string; to: string }) =>
      redeliverRange(endpointId, { ...range, ...(status ? { status } : {}) }),
    onSuccess: ({ redelivered }) => {
      toast(
        `${redelivered.toLocaleString('en')} ${redelivered === 1 ? 'delivery' : 'deliveries'} queued again`,
      )
      void queryClient.invalidateQueries({ queryKey: ['webhooks'] })
    },
  })
  const errors = errorsByPath(redelivery.error)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const range = { from: fromField(from), to: fromField(to) }
    // mutate's own onSuccess is not called after the form is closed.
    const done = { onSuccess: onClose }
    if (range.from && range.to) redelivery.mutate({ from: range.from, to: range.to }, done)
  }
  return (
    <Form onSubmit={submit} className="grid gap-4">
      <div className="grid gap-4 sm:grid-cols-2">
        <Field label="Created from" error={errors.from}>
          {(props) => (
            <Input
              {...props}
              type="datetime-local"
              required
              value={from}
              onChange={({ target }) => setFrom(target.value)}
            />
          )}
        </Field>
        <Field label="Created before" error={errors.to}>
          {(props) => (
            <Input
              {...props}
              type="datetime-local"
              required
              value={to}
              onChange={({ target }) => setTo(target.value)}
            />
          )}
        </Field>
      </div>
      <Field label="Status">
        {(props) => (
          <Select
            {...props}
            value={status}
            onChange={({ target }) => setStatus(target.value as DeliveryStatus | '')}
          >
            {CHOICES.map(([value, words]) => (
              <option key={value} value={value}>
                {words}
              </option>
            ))}
          </Select>
        )}
      </Field>
      <FormError error={redelivery.error} shownPaths={['from', 'to']} />
      <SubmitActions action="Send again" pending={redelivery.isPending} />
    </Form>
  )
}
