import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import type { WebhookEndpoint } from '../../api/records.ts'
import { deleteEndpoint } from '../../api/webhooks.ts'
import { ConfirmDialog } from '../../components/ui/confirm-dialog.tsx'
import { useToast } from '../../components/ui/toast.tsx'

interface DeleteEndpointDialogProps {
  endpoint: WebhookEndpoint
  open: boolean
  onClose: () => void
}

export function DeleteEndpointDialog({ endpoint: { id }, open, onClose }: DeleteEndpointDialogProps) {
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  const toast = useToast()
  const deletion = useMutation({
    mutationFn: () => deleteEndpoint(id),
    onSuccess: async () => {
      toast('Endpoint deleted')
      await navigate({ to: '/webhooks' })
      queryClient.removeQueries({ queryKey: ['webhooks', 'endpoints', 'one', id] })
      void queryClient.invalidateQueries({ queryKey: ['webhooks'] })
    },
  })
  const close = () => {
    deletion.reset()
    onClose()
  }
  return (
    <ConfirmDialog
      open={open}
      onOpenChange={close}
      title="Delete this endpoint?"
      action="Delete"
      pending={deletion.isPending}
      error={deletion.error}
      onConfirm={() => deletion.mutate()}
    >
      Nothing is sent to it any more, and its deliveries go with it. It cannot be undone.
    </ConfirmDialog>
  )
}
