import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { Tagged } from '../api/client.ts'
import type { WebhookEndpoint } from '../api/records.ts'
import { ConflictDialog } from '../components/conflict-dialog.tsx'
import { Dialog } from '../components/dialog.tsx'
import { useToast } from '../components/toast.tsx'
import { useGuardedSave } from '../components/use-guarded-save.ts'
import { EndpointForm } from './endpoint-form.tsx'
import { SETTINGS_TEXTS } from './endpoint-texts.ts'
import { changeEndpoint, type EndpointSettings, readEndpoint } from './webhooks-api.ts'

interface EditEndpointDialogProps {
  endpoint: Tagged<WebhookEndpoint>
  open: boolean
  onClose: () => void
}

export function EditEndpointDialog({ endpoint, open, onClose }: EditEndpointDialogProps) {
  return (
    <Dialog
      open={open}
      onOpenChange={onClose}
      title="Edit the endpoint"
      description="Changes take effect within a few seconds."
    >
      <EditForm endpoint={endpoint} onClose={onClose} />
    </Dialog>
  )
}

function EditForm({ endpoint, onClose }: Omit<EditEndpointDialogProps, 'open'>) {
  const queryClient = useQueryClient()
  const toast = useToast()
  // The record when the form was opened. The page refetches it every few seconds.
  const [base] = useState(endpoint)
  const change = useGuardedSave<EndpointSettings, WebhookEndpoint>({
    read: () => readEndpoint(base.id),
    save: (settings, over) => changeEndpoint(over ?? base, settings),
    valuesOf: settingsOf,
    onStored: (stored, by) => {
      queryClient.setQueryData(['webhooks', 'endpoints', 'one', stored.id], stored)
      void queryClient.invalidateQueries({ queryKey: ['webhooks'] })
      if (by === 'me') toast('Endpoint changed')
      onClose()
    },
  })
  return (
    <>
      <EndpointForm
        endpoint={base}
        action="Save"
        pending={change.isPending}
        error={change.error}
        onSubmit={(settings) => change.save(settings, base)}
      />
      <ConflictDialog kind="endpoint" saving={change} texts={SETTINGS_TEXTS} />
    </>
  )
}

/** In the order of the form, because values are compared as JSON. */
const settingsOf = ({ url, description, types, customer_id }: EndpointSettings): EndpointSettings => ({
  url,
  description,
  types,
  customer_id,
})
