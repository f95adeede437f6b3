import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import type { Tagged } from '../api/client.ts'
import type { WebhookEndpoint } from '../api/records.ts'
import { ChangedDialog } from '../components/changed-dialog.tsx'
import { ConfirmDialog } from '../components/confirm-dialog.tsx'
import { useToast } from '../components/toast.tsx'
import { useGuardedAction } from '../components/use-guarded-action.ts'
import { ENDPOINT_TEXTS } from './endpoint-texts.ts'
import { deleteEndpoint, readEndpoint } from './webhooks-api.ts'

interface DeleteEndpointDialogProps {
  endpoint: Tagged<WebhookEndpoint>
  open: boolean
  onClose: () => void
}

export const DeleteEndpointDialog = ({ open, ...props }: DeleteEndpointDialogProps) =>
  open ? <Deletion {...props} /> : null

function Deletion({ endpoint, onClose }: Omit<DeleteEndpointDialogProps, 'open'>) {
  // The record when the dialog was opened. The page refetches it every few seconds.
  const [base] = useState(endpoint)
  const { id } = base
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  const toast = useToast()
  const deletion = useGuardedAction({
    read: () => readEndpoint(id),
    act: deleteEndpoint,
    texts: ENDPOINT_TEXTS,
    onDone: async () => {
      toast('Endpoint deleted')
      await navigate({ to: '/webhooks' })
      queryClient.removeQueries({ queryKey: ['webhooks', 'endpoints', 'one', id] })
      void queryClient.invalidateQueries({ queryKey: ['webhooks'] })
    },
  })
  return (
    <>
      <ConfirmDialog
        open
        onOpenChange={onClose}
        title="Delete this endpoint?"
        action="Delete"
        pending={deletion.isPending}
        error={deletion.error}
        onConfirm={() => deletion.act(base)}
      >
        Nothing more is sent to it, and its deliveries are deleted. This cannot be undone.
      </ConfirmDialog>
      <ChangedDialog kind="endpoint" acting={deletion} action="Delete" onLeave={onClose} />
    </>
  )
}
